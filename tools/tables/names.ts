import { type ByRevision, REVISIONS, type Revision } from './revision.ts'

/** Returns the constant for a name: `needBlockHash` as NEED_BLOCK_HASH. */
export function constantName(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replace(/^_/, '')
    .toUpperCase()
}

export function hexByte(code: number): string {
  return `0x${code.toString(16).padStart(2, '0')}`
}

/** Returns the first line of a generated file. */
export function header(table: string): string {
  return `// Written by tools/generate-tables.ts from tools/tables/${table}; do not edit.\n`
}

export function docLine(text: string): string {
  return `/** ${text} */`
}

/**
 * Returns the number for a revision, as an expression. `atLeast` writes the condition that the revision is the given
 * one or a later one.
 * @throws {RangeError} if the entries do not ascend from Frontier
 */
export function chooseByRevision(
  entries: ByRevision,
  atLeast: (since: Revision) => string,
  write: (value: number) => string,
): string {
  const numbers = entries.map(([since]) => REVISIONS.indexOf(since))
  if (numbers[0] !== 0 || numbers.some((n, i) => i > 0 && n <= (numbers[i - 1] ?? 0))) {
    throw new RangeError(`revisions ${entries.map(([since]) => since).join(', ')} do not ascend`)
  }
  return entries.reduce((rest, [since, value], i) => {
    return i === 0 ? write(value) : `${atLeast(since)} ? ${write(value)} : ${rest}`
  }, '')
}

/** Returns the revisions that entries name, except the first. */
export function changesOf(amount: number | bigint | ByRevision): Revision[] {
  return typeof amount !== 'object' ? [] : amount.slice(1).map(([since]) => since)
}
