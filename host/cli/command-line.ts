import { Command, CommanderError } from 'commander'
import { ERRORS } from '../base/error-table.ts'
import { VERSION } from '../node/version.ts'
import { COMMANDS, type CommandRow, GROUPS, type GroupName } from './commands.ts'
import { reportError } from './report-error.ts'

const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[]

function groupNamed(word: string | undefined): GroupName | undefined {
  return GROUP_NAMES.find(
    (name) => name === word || GROUPS[name].aliases.some((alias) => alias === word),
  )
}

/** The command that the first words name. */
function findRow(words: readonly string[]): CommandRow | undefined {
  const group = groupNamed(words[0])
  const name = group === undefined ? words[0] : words[1]
  return COMMANDS.find((row) => row.name === name && row.group === group)
}

/** Arguments with the names of flags in hyphens: an underscore is the same. */
function normalizeFlags(args: readonly string[]): string[] {
  return args.map((argument) => argument.replace(/^--[^=]+/, (name) => name.replaceAll('_', '-')))
}

function addGroup(program: Command, name: GroupName): Command {
  const { summary, aliases } = GROUPS[name]
  return program.command(name).description(summary).aliases(aliases)
}

/** All commands by name; only the one that `words` name has its flags and action. */
async function buildProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('lockstep')
    .description('An EVM chain node')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--verbose', 'show where an error came from')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
  const groups = new Map(GROUP_NAMES.map((name) => [name, addGroup(program, name)]))
  const wanted = findRow(words[0] === 'help' ? words.slice(1) : words)
  for (const row of COMMANDS) {
    const parent = row.group === undefined ? program : (groups.get(row.group) ?? program)
    const command = parent.command(row.name).description(row.summary)
    if (row !== wanted) continue
    const define = await row.load()
    define(command)
    command.addHelpText('after', `\nExample:\n  ${row.example}`)
  }
  return program
}

/** Runs one command line, the program's own name left out, and resolves with the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const normalized = normalizeFlags(args)
  const words = normalized.filter((argument) => !argument.startsWith('-'))
  try {
    const program = await buildProgram(words)
    await program.parseAsync(normalized, { from: 'user' })
    return 0
  } catch (error) {
    // The text was written already.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : ERRORS.INVALID_ARGUMENT.exit
    }
    return reportError(error, normalized.includes('--verbose'))
  }
}
