import type { Application, ConsensusEngine } from '../../consensus/application.ts'
import type { BlockStore } from '../../consensus/embedded/block-store.ts'
import type { Chain } from '../../consensus/embedded/chain.ts'
import type { StateQuery } from '../../consensus/state-machine/state-query.ts'

/** How the node introduces itself. */
export interface NodeInfo {
  /** 40 hex digits. */
  readonly id: string
  readonly moniker: string
  readonly version: string
  /** Address for peers, `tcp://host:port`. */
  readonly listenAddress: string
  /** Address of this server, `tcp://host:port`. */
  readonly rpcAddress: string
}

export interface UnconfirmedTransactions {
  readonly count: number
  readonly bytes: number
}

/** All that the routes of the consensus RPC read. */
export interface ConsensusRpcContext {
  readonly engine: Pick<ConsensusEngine, 'height'>
  readonly application: Pick<Application, 'info'>
  readonly stateQuery: Pick<StateQuery, 'query'>
  readonly blockStore: BlockStore
  readonly chain: Chain
  readonly validator: { readonly publicKey: Uint8Array; readonly address: Uint8Array }
  /** genesis.json as it was parsed. */
  readonly genesisDocument: unknown
  readonly node: NodeInfo
  unconfirmedTransactions(): UnconfirmedTransactions
  /** Greatest height that a peer has announced; 0 without peers. */
  maxPeerHeight(): number
  /** `/lag_status` fails when the node is further behind its peers than this. */
  readonly lagThreshold: number
}
