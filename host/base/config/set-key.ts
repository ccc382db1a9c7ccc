import { CONFIG_ENTRIES, type ConfigEntry, normalizeName } from './schema.ts'
import type { TomlLiteral } from './value-type.ts'

/** The text of a flag as a file writes the value, by the form of the default. */
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
 * What stands before a key in its line. Scripts that set a state sync up look for `enable` or `rpc-servers` at the
 * beginning of a line, whatever the section: keys of these names in other sections are indented.
 */
export function indentOf(section: string, name: string): string {
  return section !== STATE_SYNC && STATE_SYNC_NAMES.has(normalizeName(name)) ? '  ' : ''
}

/** The text from one header of a section to the next, or of the keys above all sections. */
function boundsOf(text: string, section: string): readonly [number, number] | undefined {
  const headers = [...text.matchAll(/^[ \t]*\[[ \t]*([^\]\s]+)[ \t]*\].*$/gm)]
  if (section === '') return [0, headers[0]?.index ?? text.length]
  const at = headers.findIndex(([, name]) => name?.replaceAll('_', '-') === section)
  const header = headers[at]
  if (header === undefined) return undefined
  return [header.index + header[0].length, headers[at + 1]?.index ?? text.length]
}

/**
 * The text of a configuration file with another value of a key; comments and all else stay.
 * @param section empty for the keys above the sections; a hyphen stands for an underscore too, as in `name`
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
