import type { Application, ConsensusEngine } from '../../../chain/consensus/application.ts'
import type { ConsensusBlockStore } from '../../../chain/consensus/embedded/block-store.ts'
import type { ConsensusChain } from '../../../chain/consensus/embedded/chain.ts'
import type { HeadFeed } from '../../../chain/consensus/head-feed.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { StateQuery } from '../../../chain/consensus/state-machine/state-query.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import type { HttpRequest, WebSocketPeer } from '../../server/server.ts'
import type { HashIndex } from '../../transaction-index/hash-index.ts'
import type { RpcId } from './response.ts'
import type { SubscriptionSlots } from './subscription-slots.ts'

/** The subscriptions of a connection. Each method throws with CometBFT's messages. */
export interface Subscriptions {
  /** @param id sent with each event */
  subscribe(query: string, id: RpcId): void | Promise<void>
  unsubscribe(query: string): void
  unsubscribeAll(): void
}

/** Opens and closes the subscriptions of connections. */
export interface SubscriptionSource {
  open(peer: WebSocketPeer): Subscriptions
  /** Ends the subscriptions of a closed connection. */
  close(subscriptions: Subscriptions): void
}

/** The caller of a route. */
export interface RouteCaller extends Pick<HttpRequest, 'signal' | 'account'> {
  /** Its subscriptions; undefined unless it uses a WebSocket. */
  readonly subscriptions?: Subscriptions
}

/** The identity of the node. */
export interface NodeInfo {
  /** 40 hex digits. */
  readonly id: string
  readonly moniker: string
  readonly version: string
  /** Address of this server, `tcp://host:port`. */
  readonly rpcAddress: string
}

export interface UnconfirmedTransactions {
  readonly count: number
  readonly bytes: number
}

export type SearchIndex = Pick<HashIndex, 'height' | 'find' | 'places'>

/** Limits on the cost of one search. */
export interface SearchLimits {
  /** Maximum transactions or blocks found. */
  readonly results: number
  /** Maximum transactions and blocks examined. */
  readonly scan: number
}

/** Everything that the routes of the consensus RPC read. */
export interface ConsensusRpcContext {
  readonly engine: Pick<ConsensusEngine, 'height' | 'decidedHeight' | 'sync'>
  readonly application: Pick<Application, 'info'>
  readonly stateQuery: Pick<StateQuery, 'query'>
  readonly blockStore: ConsensusBlockStore
  /** Executed blocks with receipts and logs. */
  readonly executed: Pick<
    ChainStore,
    'earliest' | 'latest' | 'transaction' | 'receipt' | 'receipts' | 'locate' | 'logHeights'
  >
  readonly chain: ConsensusChain
  readonly heads: HeadFeed
  readonly pool: Pick<TransactionPool, 'add' | 'check' | 'get' | 'pending' | 'queued'>
  /** The limit on clients that wait for events. */
  readonly slots: SubscriptionSlots
  /** Maximum age of blocks in /events, relative to the latest block; 0 disables the log. */
  readonly eventLogWindowMs: number
  /** Maximum time that /broadcast_tx_commit waits for a block. */
  readonly timeoutBroadcastTxCommitMs: number
  /** Undefined on a node that does not sign. */
  readonly validator: { readonly publicKey: Uint8Array; readonly address: Uint8Array } | undefined
  /** The bytes of genesis.json. */
  readonly genesisFile: Uint8Array
  /** Interval between blocks. */
  readonly blockTimeMs: number
  /** The transaction index; undefined if indexing is off. */
  readonly index: SearchIndex | undefined
  readonly searchLimits: SearchLimits
  readonly node: NodeInfo
  unconfirmedTransactions(): UnconfirmedTransactions
  /** `/lag_status` fails if the node is more than this many blocks behind its peers. */
  readonly lagThreshold: number
}
