import type { TransactionPool } from '../../../../chain/consensus/mempool/transaction-pool.ts'
import type { LagContext } from '../lag-status.ts'
import type { SubscriptionSlots } from '../subscription-slots.ts'
import type { CometRelay } from './relay.ts'

/** All that the routes read where CometBFT decides the blocks. */
export interface ProxyContext extends LagContext {
  readonly relay: CometRelay
  readonly pool: Pick<TransactionPool, 'add' | 'check' | 'get'>
  /** The places of those who wait for events. */
  readonly slots: SubscriptionSlots
  /** A transaction by its hash of the EVM JSON-RPC; undefined where this node has none of that hash. */
  transaction(hash: Uint8Array): Uint8Array | undefined
  readonly applicationVersion: string
  /** Address of this server, `tcp://host:port`. */
  readonly rpcAddress: string
}
