import { lookup } from '../../base/lookup.ts'
/** What a chain stores about the genesis.json that it started with. */
export interface GenesisRecord {
  /** SHA-256 of the document, 64 hex digits. Whitespace and member order do not matter. */
  readonly hash: string
  /** Values by JSON path. Members with many parts, and long strings, are replaced by their SHA-256. */
  readonly values: Readonly<Record<string, string>>
}

/** A value with more parts or characters is recorded as its hash. */
const MOST_PARTS = 50
const MOST_CHARACTERS = 200

/** Returns JSON without whitespace and with sorted members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** Returns the SHA-256 of a UTF-8 text as 64 hex digits. */
export type TextHash = (text: string) => string

function collect(
  value: unknown,
  path: string,
  values: Record<string, string>,
  hashOf: TextHash,
): void {
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value)
    if (parts.length > 0 && parts.length <= MOST_PARTS) {
      for (const [name, part] of parts)
        collect(part, path === '' ? name : `${path}.${name}`, values, hashOf)
      return
    }
  }
  const text = canonical(value)
  values[path] = text.length > MOST_CHARACTERS ? `sha256:${hashOf(text)}` : text
}

/** @param text genesis.json, valid JSON */
export function recordGenesis(text: string, hashOf: TextHash): GenesisRecord {
  const document: unknown = JSON.parse(text)
  const values: Record<string, string> = {}
  collect(document, '', values, hashOf)
  return { hash: hashOf(canonical(document)), values }
}

/** Describes how two documents differ, one line per value; only the first few. */
export function describeChanges(before: GenesisRecord, after: GenesisRecord): readonly string[] {
  const paths = new Set([...Object.keys(before.values), ...Object.keys(after.values)])
  return [...paths].flatMap((path) => {
    const [was, is] = [lookup(before.values, path), lookup(after.values, path)]
    return was === is ? [] : [`${path} was ${was ?? 'absent'} and is ${is ?? 'absent'}`]
  })
}
