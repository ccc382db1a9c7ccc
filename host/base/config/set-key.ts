import { CONFIG_ENTRIES, type ConfigEntry, normalizeName } from './schema.ts'
import type { TomlLiteral } from './value-type.ts'

/** Returns the value of a flag as a TOML literal of the default's type. */
export function literalOf({ fallback }: ConfigEntry, text: string): TomlLiteral {
  if (typeof fallback === 'boolean') return text === 'true'
  if (typeof fallback === 'number') return Number(text)
  return text
}

const STATE_SYNC = 'statesync'

const STATE_SYNC_NAMES = new Set(
  CONFIG_ENTRIES.filter(({ section }) => section === STATE_SYNC).map(({ name }) =>
    normalizeName(name),
  ),
)

/**
 * Returns the indentation of a key's line. State sync setup scripts match `enable` or `rpc-servers` at the start of a
 * line in any section, so other sections indent keys with these names.
 */
export function indentOf(section: string, name: string): string {
  return section !== STATE_SYNC && STATE_SYNC_NAMES.has(normalizeName(name)) ? '  ' : ''
}

/** Returns the range from one section header to the next, or that of the keys above all sections. */
function boundsOf(text: string, section: string): readonly [number, number] | undefined {
  const headers = [...text.matchAll(/^[ \t]*\[[ \t]*([^\]\s]+)[ \t]*\].*$/gm)]
  if (section === '') return [0, headers[0]?.index ?? text.length]
  const at = headers.findIndex(([, name]) => name?.replaceAll('_', '-') === section)
  const header = headers[at]
  if (header === undefined) return undefined
  return [header.index + header[0].length, headers[at + 1]?.index ?? text.length]
}

/**
 * Returns the text of a configuration file with a changed value of one key; comments and all else stay.
 * @param section empty for the keys above the sections; hyphens and underscores are equal, as in `name`
 */
export function withKey(text: string, section: string, name: string, value: TomlLiteral): string {
  const line = `${indentOf(section, name)}${name} = ${JSON.stringify(value)}`
  const bounds = boundsOf(text, section)
  if (bounds === undefined) {
    const end = text === '' || text.endsWith('\n') ? '' : '\n'
    return `${text}${end}\n[${section}]\n\n${line}\n`
  }
  const [from, to] = bounds
  const part = text.slice(from, to)
  const key = name.replace(/[-_]/g, '[-_]')
  const written = new RegExp(`^[ \\t]*["']?${key}["']?[ \\t]*=.*$`, 'm')
  if (written.test(part)) {
    return text.slice(0, from) + part.replace(written, () => line) + text.slice(to)
  }
  const end = part.trimEnd()
  const before = end === '' && section === '' ? '' : `${end}\n`
  return `${text.slice(0, from)}${before}${line}\n\n${text.slice(to)}`
}
