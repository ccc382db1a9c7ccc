import type { InitChainRequest } from '../application.ts'
import type { QueryRequest } from '../state-machine/state-query.ts'
import type {
  CheckTxRequest,
  HashedBlock,
  InfoRequest,
  PrepareProposalRequest,
} from './messages.ts'
import type { SnapshotChunk, SnapshotOffer } from './snapshot-port.ts'

/** Identifies a chunk of a snapshot. */
export interface ChunkRequest {
  readonly height: number
  readonly format: number
  readonly index: number
}

/** A call of CometBFT, by ABCI method name. */
export type AbciRequest =
  | { readonly method: 'echo'; readonly message: string }
  | { readonly method: 'flush' }
  | { readonly method: 'info'; readonly request: InfoRequest }
  | { readonly method: 'init_chain'; readonly request: InitChainRequest }
  | { readonly method: 'query'; readonly request: QueryRequest }
  | { readonly method: 'check_tx'; readonly request: CheckTxRequest }
  | { readonly method: 'commit' }
  | { readonly method: 'list_snapshots' }
  | { readonly method: 'offer_snapshot'; readonly request: SnapshotOffer }
  | { readonly method: 'load_snapshot_chunk'; readonly request: ChunkRequest }
  | { readonly method: 'apply_snapshot_chunk'; readonly request: SnapshotChunk }
  | { readonly method: 'prepare_proposal'; readonly request: PrepareProposalRequest }
  | { readonly method: 'process_proposal'; readonly request: HashedBlock }
  | { readonly method: 'extend_vote' }
  | { readonly method: 'verify_vote_extension'; readonly extension: Uint8Array }
  | { readonly method: 'finalize_block'; readonly request: HashedBlock }

export type AbciMethod = AbciRequest['method']
