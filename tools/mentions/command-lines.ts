import type { Command } from 'commander'
import { leadingGroup } from '../../host/cli/command-group.ts'
import { COMMANDS } from '../../host/cli/commands.ts'
import { buildDumpTool } from '../../host/cli/dump/dump-tool.ts'
import { definedCommand, fullName } from '../reference/command-page.ts'

/** A placeholder for an argument: `<height>`, `[name]`, `...`, `A|B`, `"$x"`. */
const PLACEHOLDER = /^[<["'$.…]|\|/

const GLOBAL_FLAGS = [
  // Placeholder for the flag of any configuration key.
  '--section.key',
  '--verbose',
  '--version',
  '--help',
  '-V',
  '-h',
]

/** The command line as its table defines it, to check whether it accepts what a text says to type. */
export class CommandLines {
  readonly #commands: ReadonlyMap<string, Command>

  private constructor(commands: ReadonlyMap<string, Command>) {
    this.#commands = commands
  }

  static async load(): Promise<CommandLines> {
    const commands = new Map<string, Command>()
    for (const row of COMMANDS) commands.set(fullName(row), await definedCommand(row))
    for (const command of buildDumpTool().commands)
      commands.set(`lockstep-db ${command.name()}`, command)
    return new CommandLines(commands)
  }

  /** Returns whether any command has the flag. */
  hasFlag(flag: string): boolean {
    if (GLOBAL_FLAGS.includes(flag)) return true
    return [...this.#commands.values()].some((command) => findOption(command, flag) !== undefined)
  }

  /** Returns what is wrong with a command line, without `lockstep` itself, or undefined if it is accepted. */
  fault(line: string): string | undefined {
    const words = line.split(/\s+/).filter((word) => word !== '')
    const first = words[0]
    if (first === undefined || PLACEHOLDER.test(first) || GLOBAL_FLAGS.includes(first))
      return undefined
    const { group, rest } = leadingGroup(words)
    const second = rest[0]
    if (group !== undefined && (second === undefined || /[<[|]/.test(second))) {
      return second === undefined || !second.includes('|') || second.startsWith('<')
        ? undefined
        : this.#alternativesFault(group, second)
    }
    const name = group === undefined ? first : `${group} ${second}`
    const command = this.#commands.get(name)
    if (command === undefined) return `\`lockstep ${name}\` is not a command`
    return argumentFault(command, rest.slice(1))
  }

  #alternativesFault(group: string, alternatives: string): string | undefined {
    const missing = alternatives.split('|').find((name) => !this.#commands.has(`${group} ${name}`))
    return missing === undefined ? undefined : `\`lockstep ${group} ${missing}\` is not a command`
  }
}

function findOption(command: Command, flag: string) {
  const name = flag.replaceAll('_', '-')
  return command.options.find(({ long, short }) => long === name || short === name)
}

function argumentFault(command: Command, words: readonly string[]): string | undefined {
  const values: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = (words[index] ?? '').replace(/^\[(?=-)|\](?:\.\.\.)?$/g, '')
    if (!word.startsWith('-') || word === '-') {
      values.push(word)
      continue
    }
    const [flag = '', value] = word.split('=', 2)
    if (flag === '--section.key') index += 1
    if (GLOBAL_FLAGS.includes(flag)) continue
    const option = findOption(command, flag)
    if (option === undefined) return `\`${command.name()}\` has no flag ${flag}`
    const takesNext = option.required || (option.optional && !/^-|^$/.test(words[index + 1] ?? ''))
    if (takesNext && value === undefined) index += 1
  }
  const taken = command.registeredArguments
  const isVariadic = taken.some(({ variadic }) => variadic)
  if (!isVariadic && values.length > taken.length) {
    return `\`${command.name()}\` takes ${taken.length} arguments`
  }
  return undefined
}
