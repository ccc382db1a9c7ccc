import type { Hex } from '../base/hex.ts'
import type { Chain } from './chain.ts'
import type { Network } from './network.ts'
import type { PaymentBudget } from './payment-budget.ts'
import type { PriceFeedSettings } from './settings.ts'
import type { AgentWallet } from './wallet/agent-wallet.ts'

/** What actions act with. */
export interface ActionContext {
  readonly network: Network
  readonly chain: Chain
  /** Absent: what changes nothing is offered alone. */
  readonly wallet?: AgentWallet | undefined
  readonly payments?: PaymentBudget | undefined
  readonly priceFeed?: PriceFeedSettings | undefined
  /** Seconds that a call waits for the block of what it has sent. */
  readonly waitSeconds: number
}

/** The context of an action that needs a wallet: there is one, or the action is not offered. */
export function walletOf({ wallet }: ActionContext): AgentWallet {
  if (wallet === undefined) throw new TypeError('an action without need of a wallet uses it')
  return wallet
}

/** A contract of the network: there is one, or the action that needs it is not offered. */
export function contractOf({ network }: ActionContext, name: keyof Network['contracts']): Hex {
  const address = network.contracts[name]
  if (address === undefined) throw new TypeError(`an action without need of ${name} uses it`)
  return address
}
