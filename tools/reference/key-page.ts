import { OTHER_VARIABLES } from '../../host/config/environment.ts'
import {
  CONFIG_ENTRIES,
  CONFIG_FILES,
  type ConfigEntry,
  LIST_ENTRIES,
} from '../../host/config/schema.ts'
import { markdownTable } from './markdown-table.ts'

/** Sections that have a page of their own, with the tables that are written under them. */
const APART: readonly string[] = ['payments', 'wallets']

const HEAD = ['Key', 'Value', 'Default', 'Meaning', 'Environment']

function rowOf(entry: ConfigEntry): string[] {
  const name = entry.section === '' ? entry.name : `[${entry.section}] ${entry.name}`
  return [
    `\`${name}\`${entry.instead === undefined ? '' : ' *'}`,
    entry.type.rule,
    `\`${JSON.stringify(entry.fallback)}\``,
    entry.help,
    `\`${entry.variable}\``,
  ]
}

/** KEYS.md: every key of the configuration, and the other environment variables. */
export function keyPage(): string {
  const lines = [
    '# Configuration keys',
    '',
    'Written by `tools/gen-docs.ts` from `schema.ts`. A key is set, weakest first, by its file, its',
    'environment variable and its flag. Hyphen and underscore are the same. Of keys marked * this release',
    'takes the default alone, and refuses to start with another value, naming what to use instead.',
    'Those of payments are in [PAYMENT_KEYS.md](PAYMENT_KEYS.md), and those of wallets in [WALLET_KEYS.md](WALLET_KEYS.md).',
  ]
  for (const file of Object.keys(CONFIG_FILES)) {
    const rows = CONFIG_ENTRIES.filter(
      (entry) => entry.file === file && !APART.includes(entry.section),
    ).map(rowOf)
    lines.push('', `## ${file}`, '', ...markdownTable(HEAD, rows))
  }
  const others = Object.entries(OTHER_VARIABLES).map(([name, meaning]) => [`\`${name}\``, meaning])
  lines.push('', '## Other environment variables', '')
  lines.push(...markdownTable(['Variable', 'Meaning'], others))
  lines.push('', 'Any other name that begins with `LOCKSTEP_` is refused.', '')
  return lines.join('\n')
}

/** The keys of a section, and those of each list under it. */
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
      fallback === undefined ? 'none: to be set' : `\`${JSON.stringify(fallback)}\``,
      meaning,
    ])
    lines.push(...markdownTable(HEAD.slice(0, 4), ofTable), '')
  }
  return lines.join('\n')
}

/** PAYMENT_KEYS.md: the keys of payments, and those of each resource. */
export function paymentKeyPage(): string {
  return sectionPage('payments', '`payments-keys.ts` and `resource-list.ts`')
}

/** WALLET_KEYS.md: the keys of wallets, and those of each chain. */
export function walletKeyPage(): string {
  return sectionPage('wallets', '`wallets-keys.ts` and `wallet-chain-list.ts`')
}
