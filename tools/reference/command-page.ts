import { Command, type Option } from 'commander'
import { ERRORS } from '../../host/base/error-table.ts'
import { lookup } from '../../host/base/lookup.ts'
import { type CommandRow, GROUPS } from '../../host/cli/command-row.ts'
import { COMMANDS } from '../../host/cli/commands.ts'
import { markdownTable } from './markdown-table.ts'

/** Returns a command's name in `lockstep`: its group and its name. */
export function fullName({ group, name }: CommandRow): string {
  return group === undefined ? name : `${group} ${name}`
}

/** Returns a command with its arguments and flags, as commander defines it. */
export async function definedCommand(row: CommandRow): Promise<Command> {
  const command = new Command(row.name)
  const define = await row.load()
  define(command)
  return command
}

function flagRow({ flags, description, defaultValue, mandatory }: Option): string[] {
  const fallback = defaultValue === undefined ? '' : `\`${defaultValue}\``
  return [`\`${flags}\``, mandatory ? 'required' : fallback, description]
}

function exitCodes({ ends = [] }: CommandRow): string {
  const own = ends.map((code) => `${ERRORS[code].exit} (\`${code}\`)`)
  return own.length === 0 ? '' : `Exit codes of its own: ${own.join(', ')}.`
}

/** True if the heading is that of a section of the configuration. */
function isOfKey(heading: string | undefined): boolean {
  return heading !== undefined && /\.toml/.test(heading)
}

async function section(row: CommandRow): Promise<string[]> {
  const command = await definedCommand(row)
  const inputs = command.registeredArguments.map((argument) => {
    const { defaultValue, description } = argument
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    const fallback = defaultValue === undefined ? '' : `\`${defaultValue}\``
    return [`\`${name}\``, argument.required ? 'required' : fallback, description]
  })
  // Flags of keys appear under the heading of their section.
  const flags = command.options.filter(
    ({ helpGroupHeading, hidden }) => !hidden && !isOfKey(helpGroupHeading),
  )
  const rows = [...inputs, ...flags.map(flagRow)]
  const hasConfigFlags = command.options.some((option) => isOfKey(option.helpGroupHeading))
  const exits = exitCodes(row)
  return [
    `## ${fullName(row)}`,
    '',
    `${row.summary[0]?.toUpperCase()}${row.summary.slice(1)}.`,
    '',
    '```sh',
    row.example,
    '```',
    ...(rows.length > 0 ? ['', ...markdownTable(['Argument', 'Default', 'Meaning'], rows)] : []),
    ...(hasConfigFlags
      ? [
          '',
          'Every key of [the configuration](../base/config/KEYS.md) is also a flag: `--section.key value`.',
        ]
      : []),
    ...(exits === '' ? [] : ['', exits]),
    '',
  ]
}

function aliasLines(): string[] {
  return Object.entries(GROUPS)
    .filter(([, { aliases }]) => aliases.length > 0)
    .map(([name, { aliases }]) => {
      return `\`${name}\` may also be written ${aliases.map((alias) => `\`${alias}\``).join(' or ')}.`
    })
}

type CommandPage = 'commands' | 'accounts' | 'queries' | 'wallets' | 'anvil'

/** The page of each group that is not on that of all commands, by the first word of its name. */
const GROUP_PAGES: Readonly<Record<string, CommandPage>> = {
  keys: 'accounts',
  tx: 'accounts',
  query: 'queries',
  wallet: 'wallets',
}

function pageOf({ group, name }: CommandRow): CommandPage {
  // It has many flags.
  if (group === undefined) return name === 'anvil' ? 'anvil' : 'commands'
  return lookup(GROUP_PAGES, group.split(' ')[0] as string) ?? 'commands'
}

async function sectionsOf(wanted: CommandPage): Promise<string[]> {
  const sections: string[] = []
  for (const row of COMMANDS) if (pageOf(row) === wanted) sections.push(...(await section(row)))
  return sections
}

function page(lines: readonly string[]): string {
  return lines.join('\n').replace(/\n+$/, '\n')
}

/** Returns COMMANDS.md: every command of a node with its arguments, flags, defaults, exit codes and an example. */
export async function commandPage(): Promise<string> {
  return page([
    '# Commands',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`. In a checkout, `npm run -s lockstep --` replaces',
    '`lockstep`. Every command has `--help`, and `--verbose`, which shows where an error came from. Hyphens and',
    'underscores in flag names are equivalent.',
    '',
    'Exit codes: 0 after success, 64 for invalid arguments, 75 if another process uses the home that the command',
    'needs. The codes of all errors are in [ERRORS.md](../base/ERRORS.md).',
    '`start` and `anvil` exit with 0 on the first SIGINT or SIGTERM, and at once with 130 on the second. SIGHUP makes a service read its configuration again.',
    '',
    ...aliasLines(),
    '',
    'Keys and transactions are in [ACCOUNT_COMMANDS.md](ACCOUNT_COMMANDS.md), queries in',
    '[QUERY_COMMANDS.md](QUERY_COMMANDS.md), wallets in [WALLET_COMMANDS.md](WALLET_COMMANDS.md), `lockstep anvil` in',
    '[ANVIL_COMMAND.md](ANVIL_COMMAND.md).',
    '',
    ...(await sectionsOf('commands')),
  ])
}

/** Returns ACCOUNT_COMMANDS.md: the same for keys and transactions. */
export async function accountCommandPage(): Promise<string> {
  return page([
    '# Account commands',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`, as [COMMANDS.md](COMMANDS.md) is, which says what holds for all',
    'commands.',
    '',
    ...(await sectionsOf('accounts')),
  ])
}

/** Returns QUERY_COMMANDS.md: the same for queries. */
export async function queryCommandPage(): Promise<string> {
  return page([
    '# Query commands',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`, as [COMMANDS.md](COMMANDS.md) is, which says what holds for all',
    'commands.',
    '',
    ...(await sectionsOf('queries')),
  ])
}

/** Returns WALLET_COMMANDS.md: the same for wallets. */
export async function walletCommandPage(): Promise<string> {
  return page([
    '# Wallet commands',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`, as [COMMANDS.md](COMMANDS.md) is, which says what holds for all',
    'commands.',
    '',
    ...(await sectionsOf('wallets')),
  ])
}

/** Returns ANVIL_COMMAND.md: the flags of anvil, with what each does. */
export async function anvilCommandPage(): Promise<string> {
  return page([
    '# The anvil command',
    '',
    'Written by `tools/gen-docs.ts` from `start/anvil-flags.ts`. What holds for all commands stands in',
    '[COMMANDS.md](COMMANDS.md).',
    '',
    ...(await sectionsOf('anvil')),
  ])
}
