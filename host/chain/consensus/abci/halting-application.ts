import type { InitChainRequest } from '../application.ts'
import type { QueryRequest } from '../state-machine/state-query.ts'
import type { AbciApplication } from './abci-application.ts'
import type {
  CheckTxRequest,
  HashedBlock,
  InfoRequest,
  PrepareProposalRequest,
} from './messages.ts'

export interface HaltOptions {
  /** The height after whose block the node stands still. */
  readonly height: number
  readonly onHalted: (height: number) => void
  /** Rejects when the node stops: what CometBFT still waits for then is never answered. */
  readonly stopped: Promise<never>
}

/**
 * An application that takes no part in the heights after one: not in their proposals, and above all it executes none of
 * their blocks. CometBFT waits, with that one height in both stores, until the node ends it.
 */
export class HaltingApplication implements AbciApplication {
  readonly #inner: AbciApplication
  readonly #options: HaltOptions
  #finalized = 0

  constructor(inner: AbciApplication, options: HaltOptions) {
    this.#inner = inner
    this.#options = options
    // Most often nobody waits.
    options.stopped.catch(() => {})
  }

  get snapshots() {
    return this.#inner.snapshots
  }

  info(request: InfoRequest) {
    return this.#inner.info(request)
  }

  query(request: QueryRequest) {
    return this.#inner.query(request)
  }

  checkTx(request: CheckTxRequest) {
    return this.#inner.checkTx(request)
  }

  initChain(request: InitChainRequest) {
    return this.#inner.initChain(request)
  }

  async prepareProposal(request: PrepareProposalRequest) {
    await this.#reach(request.height)
    return this.#inner.prepareProposal(request)
  }

  async processProposal(request: HashedBlock) {
    await this.#reach(request.height)
    return this.#inner.processProposal(request)
  }

  async finalizeBlock(request: HashedBlock) {
    await this.#reach(request.height)
    this.#finalized = request.height
    return this.#inner.finalizeBlock(request)
  }

  async commit() {
    const response = await this.#inner.commit()
    const { height, onHalted } = this.#options
    if (this.#finalized >= height) onHalted(this.#finalized)
    return response
  }

  async #reach(height: number): Promise<void> {
    if (height > this.#options.height) await this.#options.stopped
  }
}
