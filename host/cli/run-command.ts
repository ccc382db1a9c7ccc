import { Command, CommanderError } from 'commander'
import { ERRORS } from '../base/error-table.ts'
import { GROUP_NAMES, leadingGroup, ownName, parentOf } from './command-group.ts'
import { type CommandRow, GROUPS, type GroupName } from './command-row.ts'
import { reportError } from './report-error.ts'

/** Returns the command that the first words name. */
function findRow(rows: readonly CommandRow[], words: readonly string[]): CommandRow | undefined {
  const { group, rest } = leadingGroup(words)
  return rows.find((row) => row.name === rest[0] && row.group === group)
}

/** Returns arguments with hyphens in flag names: an underscore is the same. */
function normalizeFlags(args: readonly string[]): string[] {
  return args.map((argument) => argument.replace(/^--[^=]+/, (name) => name.replaceAll('_', '-')))
}

/** Adds the groups, each under its parent, and returns them by name. */
function addGroups(program: Command): ReadonlyMap<GroupName, Command> {
  const groups = new Map<GroupName, Command>()
  for (const name of GROUP_NAMES) {
    const { summary, aliases } = GROUPS[name]
    const parent = parentOf(name)
    const above = parent === undefined ? program : (groups.get(parent) ?? program)
    groups.set(name, above.command(ownName(name)).description(summary).aliases(aliases))
  }
  return groups
}

/** Builds a program with all commands; only the one named by `words` has its flags and action. */
async function buildProgram(
  rows: readonly CommandRow[],
  words: readonly string[],
): Promise<Command> {
  const program = new Command('lockstep')
    .description('An EVM chain node')
    .option('-v, --version', 'print the version')
    .option('--verbose', 'show the stack of an error')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
  const groups = addGroups(program)
  const wanted = findRow(rows, words[0] === 'help' ? words.slice(1) : words)
  for (const row of rows) {
    const parent = row.group === undefined ? program : (groups.get(row.group) ?? program)
    const command = parent.command(row.name).description(row.summary)
    if (row !== wanted) continue
    const define = await row.load()
    define(command)
    command.addHelpText('after', `\nExample:\n  ${row.example}`)
  }
  return program
}

/** Common flags for the version. */
const VERSION_FLAGS = ['-v', '-V', '--version']

function asCommand(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args
  return VERSION_FLAGS.includes(first) ? ['version', ...rest] : args
}

/** Runs a command line, without the program name, with the commands in `rows`. Resolves with the exit code. */
export async function runCommandOf(
  rows: readonly CommandRow[],
  args: readonly string[],
): Promise<number> {
  const normalized = asCommand(normalizeFlags(args))
  const words = normalized.filter((argument) => !argument.startsWith('-'))
  try {
    const program = await buildProgram(rows, words)
    await program.parseAsync(normalized, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already written the message.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : ERRORS.INVALID_ARGUMENT.exit
    }
    return reportError(error, normalized.includes('--verbose'))
  }
}
