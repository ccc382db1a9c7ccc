import { Command, type Option } from 'commander'
import { ERRORS } from '../../host/base/error-table.ts'
import { type CommandRow, GROUPS } from '../../host/cli/command-row.ts'
import { COMMANDS } from '../../host/cli/commands.ts'
import { markdownTable } from './markdown-table.ts'

/** What `lockstep` calls a command: its group and its name. */
export function fullName({ group, name }: CommandRow): string {
  return group === undefined ? name : `${group} ${name}`
}

/** A command with its arguments and flags, as commander knows it. */
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

async function section(row: CommandRow): Promise<string[]> {
  const command = await definedCommand(row)
  const inputs = command.registeredArguments.map((argument) => {
    const { defaultValue, description } = argument
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    const fallback = defaultValue === undefined ? '' : `\`${defaultValue}\``
    return [`\`${name}\``, argument.required ? 'required' : fallback, description]
  })
  // Flags of keys stand under the heading of their section.
  const flags = command.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined)
  const rows = [...inputs, ...flags.map(flagRow)]
  const hasConfigFlags = flags.length < command.options.length
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
          'Every key of [the configuration](../base/config/KEYS.md) is a flag too: `--section.key value`.',
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

/** Groups of what is done with accounts over a node, whose commands have a page of their own. */
const ACCOUNT_GROUPS = ['keys', 'tx', 'query']

function isOfAccounts({ group }: CommandRow): boolean {
  return group !== undefined && ACCOUNT_GROUPS.includes(group.split(' ')[0] as string)
}

/** The groups of `lockstep wallet`, which have a page of their own too. */
function isOfWallets({ group }: CommandRow): boolean {
  return group?.split(' ')[0] === 'wallet'
}

async function sectionsOf(rows: readonly CommandRow[]): Promise<string[]> {
  const sections: string[] = []
  for (const row of rows) sections.push(...(await section(row)))
  return sections
}

function page(lines: readonly string[]): string {
  return lines.join('\n').replace(/\n+$/, '\n')
}

/** COMMANDS.md: every command of a node with its arguments, flags, defaults, exit codes and an example. */
export async function commandPage(): Promise<string> {
  return page([
    '# Commands',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`. In a checkout, `npm run -s lockstep --` stands for',
    '`lockstep`. Every command has `--help`, and `--verbose`, which shows where an error came from. Hyphen and',
    'underscore in the names of flags are the same.',
    '',
    'A command that has done its work ends with 0; one whose arguments are wrong with 64; one that needs a home',
    'which another process uses with 75. The codes of all errors are in [ERRORS.md](../base/ERRORS.md).',
    '`start` ends with 0 on the first SIGINT, SIGTERM or SIGHUP, and at once with 130 on the second.',
    '',
    ...aliasLines(),
    '',
    'Keys, transactions and queries are in [ACCOUNT_COMMANDS.md](ACCOUNT_COMMANDS.md), wallets in',
    '[WALLET_COMMANDS.md](WALLET_COMMANDS.md).',
    '',
    ...(await sectionsOf(COMMANDS.filter((row) => !isOfAccounts(row) && !isOfWallets(row)))),
  ])
}

/** ACCOUNT_COMMANDS.md: the same of keys, transactions and queries. */
export async function accountCommandPage(): Promise<string> {
  return page([
    '# Commands of accounts',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`, as [COMMANDS.md](COMMANDS.md) is, which says what holds for all',
    'commands.',
    '',
    ...(await sectionsOf(COMMANDS.filter(isOfAccounts))),
  ])
}

/** WALLET_COMMANDS.md: the same of wallets. */
export async function walletCommandPage(): Promise<string> {
  return page([
    '# Commands of wallets',
    '',
    'Written by `tools/gen-docs.ts` from `commands.ts`, as [COMMANDS.md](COMMANDS.md) is, which says what holds for all',
    'commands.',
    '',
    ...(await sectionsOf(COMMANDS.filter(isOfWallets))),
  ])
}
