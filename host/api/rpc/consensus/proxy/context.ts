import type { TransactionPool } from '../../../../chain/consensus/mempool/transaction-pool.ts'
import type { LagContext } from '../lag-status.ts'
import type { SubscriptionSlots } from '../subscription-slots.ts'
import type { CometRelay } from './relay.ts'

/** Everything that the routes read if CometBFT is the consensus engine. */
export interface ProxyContext extends LagContext {
  readonly relay: CometRelay
  readonly pool: Pick<TransactionPool, 'add' | 'check' | 'get'>
  /** The limit on clients that wait for events. */
  readonly slots: SubscriptionSlots
  /** Returns a transaction by its EVM hash, or undefined if this node has none with that hash. */
  transaction(hash: Uint8Array): Uint8Array | undefined
  readonly applicationVersion: string
  /** Address of this server, `tcp://host:port`. */
  readonly rpcAddress: string
}
