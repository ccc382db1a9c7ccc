import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { AbciApplication, InitChainResult } from '../../consensus/abci/abci-application.ts'
import type {
  CheckTxResponse,
  ExecBlockResult,
  HashedBlock,
  InfoRequest,
  InfoResponse,
  PrepareProposalRequest,
} from '../../consensus/abci/messages.ts'
import type { CommitResponse, InitChainRequest } from '../../consensus/application.ts'
import type { QueryRequest, QueryResponse } from '../../consensus/state-machine/state-query.ts'
import type { SnapshotRestore } from './snapshot-restore.ts'

export interface BootstrapOptions {
  readonly snapshots: SnapshotRestore
  /** Returns true if the home has a chain restored from a snapshot. */
  readonly isRestored: () => boolean
  /** Resolves with the chain's application when it is open. */
  readonly chain: Promise<AbciApplication>
  readonly version: string
}

/** Codespace of this node's own errors. */
const CODESPACE = 'lockstep'

const NO_STATE = 'the node has no state yet: it starts with a snapshot of its peers'

/**
 * The application while the home has no chain: it restores a snapshot. Any other consensus call opens the chain,
 * since CometBFT then continues from it or starts at genesis.
 */
export class BootstrapApplication implements AbciApplication {
  readonly #options: BootstrapOptions

  constructor(options: BootstrapOptions) {
    this.#options = options
  }

  get snapshots(): SnapshotRestore {
    return this.#options.snapshots
  }

  /** CometBFT calls it before offering a snapshot only if it has a state of its own. */
  async info(request: InfoRequest): Promise<InfoResponse> {
    const { isRestored, version } = this.#options
    if (isRestored()) return (await this.#chain()).info(request)
    return {
      data: 'lockstep',
      version,
      appVersion: 0,
      lastBlockHeight: 0,
      lastBlockAppHash: EMPTY_BYTES,
    }
  }

  async query({ height }: QueryRequest): Promise<QueryResponse> {
    const none = { key: EMPTY_BYTES, value: EMPTY_BYTES, proofOps: [] }
    return { code: 1, codespace: CODESPACE, log: NO_STATE, ...none, height }
  }

  async checkTx(): Promise<CheckTxResponse> {
    return { code: 1, codespace: CODESPACE, log: NO_STATE, gasWanted: 0n }
  }

  async initChain(request: InitChainRequest): Promise<InitChainResult> {
    return (await this.#chain()).initChain(request)
  }

  async prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]> {
    return (await this.#chain()).prepareProposal(request)
  }

  async processProposal(request: HashedBlock): Promise<boolean> {
    return (await this.#chain()).processProposal(request)
  }

  async finalizeBlock(request: HashedBlock): Promise<ExecBlockResult> {
    return (await this.#chain()).finalizeBlock(request)
  }

  async commit(): Promise<CommitResponse> {
    return (await this.#chain()).commit()
  }

  async #chain(): Promise<AbciApplication> {
    await this.snapshots.open()
    return this.#options.chain
  }
}
