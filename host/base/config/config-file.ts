import { lookup } from '../lookup.ts'
import { CONFIG_ENTRIES, type ConfigFileName, LIST_ENTRIES, type ListEntry } from './schema.ts'
import { indentOf } from './set-key.ts'
import type { TomlLiteral } from './value-type.ts'

/** JSON's strings and arrays of strings are valid TOML, except for the delete character. */
function formatLiteral(value: TomlLiteral): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

/** Renders a table of a list as a comment: an empty list would conflict with the first table that is added below. */
function exampleOf({ header, help, keys }: ListEntry): string[] {
  const rows = Object.entries(keys).map(([name, { help: meaning, example, fallback }]) => {
    return `# ${name} = ${formatLiteral(example ?? fallback ?? '')}  # ${meaning}`
  })
  return [`# ${help}`, `# [[${header}]]`, ...rows, '']
}

/**
 * Renders a configuration file with every key, its help and its default.
 * @param values replaces defaults, by `ConfigEntry.flag`.
 */
export function renderConfigFile(
  file: ConfigFileName,
  values: Readonly<Record<string, TomlLiteral>> = {},
): string {
  const lines = [
    '# Flags (--section.key) override variables (LOCKSTEP_SECTION_KEY), which override this file.',
    '# Hyphen and underscore are the same. Durations are written 400ms, 30s or 1m30s.',
    '',
  ]
  let section = ''
  const endSection = (): void => {
    const lists = LIST_ENTRIES.filter((list) => list.file === file && list.section === section)
    lines.push(...lists.flatMap(exampleOf))
  }
  for (const entry of CONFIG_ENTRIES) {
    if (entry.file !== file) continue
    if (entry.section !== section) {
      endSection()
      section = entry.section
      lines.push(`[${section}]`, '')
    }
    const isFixed = entry.instead !== undefined && entry.engine === undefined
    lines.push(`# ${entry.help}${isFixed ? ' (this release accepts no other value)' : ''}`)
    const value = formatLiteral(lookup(values, entry.flag) ?? entry.fallback)
    lines.push(`${indentOf(section, entry.name)}${entry.name} = ${value}`, '')
  }
  endSection()
  return lines.join('\n')
}
