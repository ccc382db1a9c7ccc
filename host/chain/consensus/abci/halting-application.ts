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
  /** Last height to execute. */
  readonly height: number
  readonly onHalted: (height: number) => void
  /** Rejects when the node stops, which fails the calls that are still blocked. */
  readonly stopped: Promise<never>
}

/**
 * Halts an application after a height: it neither proposes nor executes later blocks. CometBFT waits, with that
 * height as the last one in both stores, until the node ends it.
 */
export class HaltingApplication implements AbciApplication {
  readonly #inner: AbciApplication
  readonly #options: HaltOptions
  #finalized = 0

  constructor(inner: AbciApplication, options: HaltOptions) {
    this.#inner = inner
    this.#options = options
    // Usually no call awaits it: avoid an unhandled rejection.
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
