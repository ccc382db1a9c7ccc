import { OTHER_VARIABLES } from '../../host/base/config/environment.ts'
import { CONFIG_ENTRIES, type ConfigEntry, LIST_ENTRIES } from '../../host/base/config/schema.ts'
import { markdownTable } from './markdown-table.ts'

/** Sections on a page of their own, with the tables below them. */
const APART: readonly string[] = ['payments', 'wallets']

const HEAD = ['Key', 'Value', 'Default', 'Meaning', 'Environment']

/** Returns the mark of a live key, or of one that does not always accept values other than the default. */
function markOf({ instead, engine, isLive }: ConfigEntry): string {
  if (instead === undefined) return isLive ? ' (live)' : ''
  return engine === undefined ? ' *' : ` (${engine})`
}

function rowOf(entry: ConfigEntry): string[] {
  const name = entry.section === '' ? entry.name : `[${entry.section}] ${entry.name}`
  return [
    `\`${name}\`${markOf(entry)}`,
    entry.type.rule,
    `\`${JSON.stringify(entry.fallback)}\``,
    entry.help,
    `\`${entry.variable}\``,
  ]
}

function rowsOf(file: string): string[][] {
  return CONFIG_ENTRIES.filter(
    (entry) => entry.file === file && !APART.includes(entry.section),
  ).map(rowOf)
}

/** Returns KEYS.md: the keys of app.toml, and the other environment variables. */
export function keyPage(): string {
  const others = Object.entries(OTHER_VARIABLES).map(([name, meaning]) => [`\`${name}\``, meaning])
  return [
    '# Configuration keys',
    '',
    'Written by `tools/gen-docs.ts` from `schema.ts`. A flag overrides an environment variable, which overrides',
    'the file. Hyphens and underscores are equivalent. A running node applies new values of the keys marked live',
    'when it receives SIGHUP. All others need a restart.',
    'The keys of config.toml are in [CONSENSUS_KEYS.md](CONSENSUS_KEYS.md), those of payments in',
    '[PAYMENT_KEYS.md](PAYMENT_KEYS.md), and those of wallets in [WALLET_KEYS.md](WALLET_KEYS.md).',
    '',
    '## app.toml',
    '',
    ...markdownTable(HEAD, rowsOf('app.toml')),
    '',
    '## Other environment variables',
    '',
    ...markdownTable(['Variable', 'Meaning'], others),
    '',
    'Any other name that begins with `LOCKSTEP_` is rejected.',
    '',
  ].join('\n')
}

/** Returns CONSENSUS_KEYS.md: the keys of config.toml. */
export function consensusKeyPage(): string {
  return [
    '# Configuration keys of config.toml',
    '',
    'Written by `tools/gen-docs.ts` from `consensus-keys.ts`, `engine-keys.ts` and `p2p-keys.ts`; all others are in',
    '[KEYS.md](KEYS.md). A key marked * accepts only its default in this release. The node rejects any other value',
    'at start and names the replacement. A key marked with an engine of `[consensus]` accepts other values only with',
    'that engine. Keys whose meaning begins with `cometbft:` have no effect under the embedded engine. A running node',
    'applies new values of the keys marked live when it receives SIGHUP.',
    '',
    ...markdownTable(HEAD, rowsOf('config.toml')),
    '',
  ].join('\n')
}

/** Returns the keys of a section, and those of each list under it. */
function sectionPage(wanted: string, sources: string): string {
  const rows = CONFIG_ENTRIES.filter(({ section }) => section === wanted).map(rowOf)
  const lines = [
    `# Configuration keys of ${wanted}`,
    '',
    `Written by \`tools/gen-docs.ts\` from ${sources}; all of them are in app.toml.`,
    '',
    ...markdownTable(HEAD, rows),
    '',
  ]
  for (const { section, header, help, keys } of LIST_ENTRIES) {
    if (section !== wanted) continue
    lines.push(`## [[${header}]]`, '', `${help}. Its keys have no variables and no flags.`, '')
    const ofTable = Object.entries(keys).map(([name, { type, fallback, help: meaning }]) => [
      `\`${name}\``,
      type.rule,
      fallback === undefined ? 'none: required' : `\`${JSON.stringify(fallback)}\``,
      meaning,
    ])
    lines.push(...markdownTable(HEAD.slice(0, 4), ofTable), '')
  }
  return lines.join('\n')
}

/** Returns PAYMENT_KEYS.md: the keys of payments, and those of each resource. */
export function paymentKeyPage(): string {
  return sectionPage('payments', '`payments-keys.ts` and `resource-list.ts`')
}

/** Returns WALLET_KEYS.md: the keys of wallets, and those of each chain. */
export function walletKeyPage(): string {
  return sectionPage('wallets', '`wallets-keys.ts` and `wallet-chain-list.ts`')
}
