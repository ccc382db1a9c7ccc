import type { Application, ConsensusEngine } from '../../../chain/consensus/application.ts'
import type { BlockStore } from '../../../chain/consensus/embedded/block-store.ts'
import type { Chain } from '../../../chain/consensus/embedded/chain.ts'
import type { HeadFeed } from '../../../chain/consensus/head-feed.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { StateQuery } from '../../../chain/consensus/state-machine/state-query.ts'
import type { TransactionIndex } from '../../../chain/consensus/tx-index/transaction-index.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import type { HttpRequest, WebSocketPeer } from '../../server/server.ts'
import type { RpcId } from './response.ts'
import type { SubscriptionSlots } from './subscription-slots.ts'

/** The subscriptions of a connection. Each call throws in CometBFT's words. */
export interface Subscriptions {
  /** The events will carry `id`. */
  subscribe(query: string, id: RpcId): void | Promise<void>
  unsubscribe(query: string): void
  unsubscribeAll(): void
}

/** What connections take their subscriptions from. */
export interface SubscriptionSource {
  open(peer: WebSocketPeer): Subscriptions
  /** Gives up the subscriptions of a connection that is gone. */
  close(subscriptions: Subscriptions): void
}

/** Whoever called a route. */
export interface RouteCaller extends Pick<HttpRequest, 'signal' | 'account'> {
  /** Over WebSocket: its subscriptions. */
  readonly subscriptions?: Subscriptions
}

/** How the node introduces itself. */
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

export type SearchIndex = Pick<TransactionIndex, 'height' | 'find' | 'places'>

/** The most that one search may cost. */
export interface SearchLimits {
  /** Transactions or blocks that it finds. */
  readonly results: number
  /** Transactions and blocks that it looks at. */
  readonly scan: number
}

/** All that the routes of the consensus RPC read. */
export interface ConsensusRpcContext {
  readonly engine: Pick<ConsensusEngine, 'height' | 'sync'>
  readonly application: Pick<Application, 'info'>
  readonly stateQuery: Pick<StateQuery, 'query'>
  readonly blockStore: BlockStore
  /** The blocks as they were executed, with receipts and logs. */
  readonly executed: Pick<
    ChainStore,
    'earliest' | 'latest' | 'transaction' | 'receipt' | 'receipts' | 'locate' | 'logHeights'
  >
  readonly chain: Chain
  readonly heads: HeadFeed
  readonly pool: Pick<TransactionPool, 'add' | 'check' | 'get' | 'pending' | 'queued'>
  /** The places of those who wait for events. */
  readonly slots: SubscriptionSlots
  /** Events of blocks that are at most this much older than the newest are in /events; 0 has no log. */
  readonly eventLogWindowMs: number
  /** The longest that /broadcast_tx_commit waits for a block. */
  readonly timeoutBroadcastTxCommitMs: number
  /** Undefined on a node that never signs. */
  readonly validator: { readonly publicKey: Uint8Array; readonly address: Uint8Array } | undefined
  /** The bytes of genesis.json. */
  readonly genesisFile: Uint8Array
  /** From one block to the next. */
  readonly blockTimeMs: number
  /** Finds transactions; undefined where nothing is indexed. */
  readonly index: SearchIndex | undefined
  readonly searchLimits: SearchLimits
  readonly node: NodeInfo
  unconfirmedTransactions(): UnconfirmedTransactions
  /** `/lag_status` fails when the node is further behind its peers than this. */
  readonly lagThreshold: number
}
