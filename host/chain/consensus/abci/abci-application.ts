import type { CommitResponse, InitChainRequest, ValidatorUpdate } from '../application.ts'
import type { QueryRequest, QueryResponse } from '../state-machine/state-query.ts'
import type {
  CheckTxRequest,
  CheckTxResponse,
  ExecBlockResult,
  HashedBlock,
  InfoRequest,
  InfoResponse,
  PrepareProposalRequest,
} from './messages.ts'
import type { SnapshotPort } from './snapshot-port.ts'

/**
 * What stands behind the socket: the methods of ABCI 2.0 but `Echo` and `Flush`, which the server answers, and vote
 * extensions, which this chain has none of. A rejection is told as `Exception`, whereupon CometBFT ends.
 *
 * CometBFT calls from four connections: consensus (one call at a time), mempool (thousands of `checkTx` at once),
 * query (`info`, `query`) and snapshots.
 */
export interface AbciApplication {
  readonly snapshots: SnapshotPort
  info(request: InfoRequest): Promise<InfoResponse>
  query(request: QueryRequest): Promise<QueryResponse>
  checkTx(request: CheckTxRequest): Promise<CheckTxResponse>
  initChain(request: InitChainRequest): Promise<InitChainResult>
  prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]>
  processProposal(request: HashedBlock): Promise<boolean>
  finalizeBlock(request: HashedBlock): Promise<ExecBlockResult>
  commit(): Promise<CommitResponse>
}

export interface InitChainResult {
  readonly appHash: Uint8Array
  /** The validators of the first block; none where they are those of the request. */
  readonly validators: readonly ValidatorUpdate[]
}
