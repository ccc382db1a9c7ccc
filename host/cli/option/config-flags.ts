import { type Command, Option } from 'commander'
import { CONFIG_ENTRIES, type ConfigEntry } from '../../base/config/schema.ts'
import { literalOf } from '../../base/config/set-key.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { lookup } from '../../base/lookup.ts'

function describe(entry: ConfigEntry): string {
  const fallback = JSON.stringify(entry.fallback)
  return `${entry.help} (default: ${fallback})${entry.instead === undefined ? '' : '; no other value is accepted'}`
}

function optionOf(entry: ConfigEntry): Option {
  const { placeholder } = entry.type
  const isSwitch = placeholder === 'BOOL'
  const value = isSwitch ? `[${placeholder}]` : `<${placeholder}>`
  const heading = entry.section === '' ? entry.file : `${entry.file} [${entry.section}]`
  return new Option(`--${entry.flag} ${value}`, describe(entry)).helpGroup(`${heading}:`)
}

/**
 * Adds a flag for every configuration key to a command, except for flags that it already has. Returns a function that
 * reads those that were passed.
 */
export function addConfigFlags(command: Command): () => ReadonlyMap<string, string> {
  const own = new Set(command.options.map(({ long }) => long))
  const options = CONFIG_ENTRIES.filter(({ flag }) => !own.has(`--${flag}`)).map((entry) => ({
    entry,
    option: optionOf(entry),
  }))
  for (const { option } of options) command.addOption(option)
  return () => {
    const values = command.opts<Record<string, string | true | undefined>>()
    const passed = options.flatMap(({ entry, option }): [string, string][] => {
      const value = lookup(values, option.attributeName())
      return value === undefined ? [] : [[entry.flag, String(value)]]
    })
    return new Map(passed)
  }
}

/** Returns the passed flags as a home's files write them, by `ConfigEntry.flag`. The values must have been checked. */
export function settingsOfFlags(
  passed: ReadonlyMap<string, string>,
): Readonly<Record<string, TomlLiteral>> {
  const set = CONFIG_ENTRIES.filter(({ flag }) => passed.has(flag))
  return Object.fromEntries(
    set.map((entry) => [entry.flag, literalOf(entry, passed.get(entry.flag) as string)]),
  )
}
