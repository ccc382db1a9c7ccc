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
 * The application behind the ABCI 2.0 socket. The server answers `Echo` and `Flush` itself; this chain has no vote
 * extensions. The server reports a rejection as `Exception`, which makes CometBFT exit.
 *
 * CometBFT opens four connections: consensus (one call at a time), mempool (thousands of `checkTx` at once), query
 * (`info`, `query`) and snapshots.
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
  /** Validators of the first block; empty to keep those of the request. */
  readonly validators: readonly ValidatorUpdate[]
}
