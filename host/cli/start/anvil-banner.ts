import { formatData } from '../../base/hex.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import type { DeveloperAccounts } from '../../node/home/developer-accounts.ts'

export interface AnvilBannerFacts {
  /** URL of the JSON-RPC. */
  readonly rpc: string | undefined
  readonly chainId: bigint
  readonly developers: DeveloperAccounts | undefined
  /** False if the keys are the user's own. */
  readonly showsKeys: boolean
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, '==================', ...lines, '']
}

/** Returns a path that ends with a slash, as anvil shows it. */
const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

function accountSections(
  { keys, balance, mnemonic, path }: DeveloperAccounts,
  showsKeys: boolean,
): string[] {
  const numbered = (texts: readonly string[]) => ['', ...texts.map((text, i) => `(${i}) ${text}`)]
  const tokens = `${balance / 10n ** 18n}.${'0'.repeat(18)} ETH`
  const addresses = keys.map(({ address }) => `${checksumText(address)} (${tokens})`)
  const accounts = section('Available Accounts', numbered(addresses))
  if (!showsKeys) return accounts
  const secrets = keys.map(({ secret }) => formatData(secret))
  return [
    ...accounts,
    ...section('Private Keys', numbered(secrets)),
    ...section('Wallet', [
      `Mnemonic:          ${mnemonic}`,
      `Derivation path:   ${withSlash(path)}`,
      '',
    ]),
  ]
}

/** Returns the lines that anvil prints on stdout, which scripts wait for. */
export function renderAnvilBanner(facts: AnvilBannerFacts): string {
  const { rpc, chainId, developers, showsKeys } = facts
  const lines = [
    ...(developers === undefined ? [] : accountSections(developers, showsKeys)),
    ...section('Chain ID', ['', String(chainId)]),
    `Listening on ${rpc === undefined ? 'nothing' : new URL(rpc).host}`,
    '',
  ]
  return lines.join('\n')
}

/** Returns the file of `--config-out`: the accounts and their keys as anvil writes them. */
export function accountFile({ keys, mnemonic, path }: DeveloperAccounts): string {
  return JSON.stringify({
    available_accounts: keys.map(({ address }) => formatData(address)),
    private_keys: keys.map(({ secret }) => formatData(secret)),
    wallet: { derivation_path: withSlash(path), mnemonic },
  })
}
