import type { Hex } from '../base/hex.ts'
import type { AgentWallet } from './agent-wallet.ts'
import type { Chain } from './chain.ts'
import type { Network } from './network.ts'
import type { PaymentBudget } from './payment-budget.ts'
import type { PriceFeedSettings } from './settings.ts'

/** What actions act with. */
export interface ActionContext {
  readonly network: Network
  readonly chain: Chain
  /** If absent, only read-only actions are offered. */
  readonly wallet?: AgentWallet | undefined
  readonly payments?: PaymentBudget | undefined
  readonly priceFeed?: PriceFeedSettings | undefined
  /** Seconds that a call waits for inclusion of its transaction. */
  readonly waitSeconds: number
}

/** Returns the wallet. Actions that need one are not offered without it. */
export function contextWallet({ wallet }: ActionContext): AgentWallet {
  if (wallet === undefined) throw new TypeError('an action without need of a wallet uses it')
  return wallet
}

/** Returns the address of a contract. Actions that need it are not offered without it. */
export function contextContract({ network }: ActionContext, name: keyof Network['contracts']): Hex {
  const address = network.contracts[name]
  if (address === undefined) throw new TypeError(`an action without need of ${name} uses it`)
  return address
}
