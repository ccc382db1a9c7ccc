import { DEV_MNEMONIC } from '../../base/dev-accounts.ts'
import { formatData } from '../../base/hex.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import type { DeveloperAccounts } from '../../node/home/developer-accounts.ts'
import type { Home } from '../../node/home/home.ts'
import type { NodeUrls } from '../../node/running-node.ts'
import { VERSION } from '../../node/version.ts'

export interface BannerFacts {
  readonly urls: NodeUrls
  readonly chainId: bigint
  readonly home: Home
  /** Undefined if the chain is not a development chain. */
  readonly developers: DeveloperAccounts | undefined
}

const WEI_PER_TOKEN = 10n ** 18n

function renderAccounts({ keys, balance, mnemonic }: DeveloperAccounts): string[] {
  const tokens = `${balance / WEI_PER_TOKEN} tokens each`
  const isOwn = mnemonic !== DEV_MNEMONIC
  const lines = keys.map(({ address, secret }, index) => {
    const account = `  (${index}) ${checksumText(address)}`
    return isOwn ? account : `${account}  ${formatData(secret)}`
  })
  if (isOwn)
    return ['', `Accounts of dev.mnemonic with ${tokens}, which the node signs for.`, ...lines]
  return [
    '',
    `Accounts with ${tokens}. These keys are public: never use them elsewhere.`,
    `Mnemonic: ${mnemonic}`,
    ...lines,
  ]
}

/** Returns the text that `start` prints when the node is ready. */
export function renderBanner({ urls, chainId, home, developers }: BannerFacts): string {
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
    ...(developers === undefined ? [] : renderAccounts(developers)),
    '',
    '',
  ]
  return lines.join('\n')
}
