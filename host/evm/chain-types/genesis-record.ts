import { lookup } from '../../base/lookup.ts'
/** What a chain keeps of the genesis.json that it began with. */
export interface GenesisRecord {
  /** SHA-256 of the document, of any layout and order of members; 64 hex digits. */
  readonly hash: string
  /** Its values by their JSON path; of members with many parts, and of long texts, their SHA-256. */
  readonly values: Readonly<Record<string, string>>
}

/** More parts, or a longer text, are recorded by their hash: accounts of genesis are many. */
const MOST_PARTS = 50
const MOST_CHARACTERS = 200

/** JSON without spaces, members ascending. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

/** SHA-256 of a text in UTF-8; 64 hex digits. */
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

/** @param text genesis.json, which is JSON */
export function recordGenesis(text: string, hashOf: TextHash): GenesisRecord {
  const document: unknown = JSON.parse(text)
  const values: Record<string, string> = {}
  collect(document, '', values, hashOf)
  return { hash: hashOf(canonical(document)), values }
}

/** How two documents differ, a value each; the first few. */
export function describeChanges(before: GenesisRecord, after: GenesisRecord): readonly string[] {
  const paths = new Set([...Object.keys(before.values), ...Object.keys(after.values)])
  return [...paths].flatMap((path) => {
    const [was, is] = [lookup(before.values, path), lookup(after.values, path)]
    return was === is ? [] : [`${path} was ${was ?? 'absent'} and is ${is ?? 'absent'}`]
  })
}
