import { DEV_ACCOUNTS, DEV_BALANCE, DEV_MNEMONIC } from '../../chain-types/dev-accounts.ts'
import type { Home } from '../../node/home/home.ts'
import type { NodeUrls } from '../../node/running-node.ts'
import { VERSION } from '../../node/version.ts'

export interface BannerFacts {
  readonly urls: NodeUrls
  readonly chainId: bigint
  readonly home: Home
  readonly dev: boolean
}

const WEI_PER_TOKEN = 10n ** 18n

function renderAccounts(): string[] {
  const lines = DEV_ACCOUNTS.map(
    ({ address, privateKey }, index) => `  (${index}) ${address}  ${privateKey}`,
  )
  return [
    '',
    `Accounts with ${DEV_BALANCE / WEI_PER_TOKEN} tokens each. Everyone knows these keys: never use them elsewhere.`,
    `Mnemonic: ${DEV_MNEMONIC}`,
    ...lines,
  ]
}

/** The text that `start` prints once the node answers. */
export function renderBanner({ urls, chainId, home, dev }: BannerFacts): string {
  const rows = [
    ['EVM JSON-RPC', urls.rpc ?? 'off'],
    ['WebSocket', urls.ws ?? 'off'],
    ['Explorer', urls.explorer ?? 'off'],
    ...(urls.consensus === undefined ? [] : [['Consensus RPC', urls.consensus]]),
    ['Metrics', urls.metrics ?? 'off'],
    ['Payments', urls.payments ?? 'off'],
    ...(urls.paymentToken === undefined ? [] : [['Payment token', urls.paymentToken]]),
    ['Wallets', urls.wallets ?? 'off'],
    ['Chain id', `${chainId} (0x${chainId.toString(16)})`],
    ['Home', home.root],
  ]
  const lines = [
    `Lockstep ${VERSION}`,
    '',
    ...rows.map(([name = '', value]) => `  ${name.padEnd(14)} ${value}`),
    ...(dev ? renderAccounts() : []),
    '',
    '',
  ]
  return lines.join('\n')
}
