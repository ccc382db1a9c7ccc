import { type Command, InvalidArgumentError, Option } from 'commander'
import { ANVIL_FLAGS, type AnvilFlag, anvilFlagNames } from './anvil-flags.ts'

/** Rejects a second value: commander would drop the first. */
function onlyOnce(value: string, previous: string | undefined): string {
  if (previous === undefined) return value
  throw new InvalidArgumentError('It was given twice.')
}

/** Collects the values of a flag that may be repeated. */
function lines(value: string, previous: string | undefined): string {
  return previous === undefined ? value : `${previous}\n${value}`
}

const UNSUPPORTED = 'Not supported:'

function optionsOf(row: AnvilFlag): Option[] {
  const value = /[<[].*$/.exec(row.flags)?.[0] ?? ''
  const groupOf = (option: Option) =>
    'refusedBecause' in row ? option.helpGroup(UNSUPPORTED) : option
  const optionWith = (flags: string) => {
    const option = new Option(flags, row.help)
    return value === '' ? option : option.argParser(row.repeats ? lines : onlyOnce)
  }
  const aliases = (row.aliases ?? []).map((name) => optionWith(`--${name} ${value}`.trim()))
  return [groupOf(optionWith(row.flags)), ...aliases.map((alias) => alias.hideHelp())]
}

/** A flag that was passed. */
export interface PassedAnvilFlag {
  readonly row: AnvilFlag
  /** Own name, without hyphens, also if an alias was passed. */
  readonly name: string
  /** True if it was passed without a value. */
  readonly value: string | true
}

/** Adds every flag of anvil to a command. Returns a function that reads those that were passed, in table order. */
export function addAnvilFlags(command: Command): () => readonly PassedAnvilFlag[] {
  const rows = ANVIL_FLAGS.map((row) => ({ row, options: optionsOf(row) }))
  for (const { options } of rows) for (const option of options) command.addOption(option)
  return () =>
    rows.flatMap(({ row, options }) => {
      const names = options.map((option) => option.attributeName())
      // Not by the value: commander sets that of `--no-mining` even if it was not passed.
      const passed = names.find((each) => command.getOptionValueSource(each) === 'cli')
      const [name = ''] = anvilFlagNames(row)
      if (passed === undefined) return []
      const value: unknown = command.getOptionValue(passed)
      return [{ row, name, value: typeof value === 'string' ? value : true }]
    })
}
