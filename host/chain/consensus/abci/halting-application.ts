import type { InitChainRequest } from '../application.ts'
import { type HaltPoint, isHaltReached } from '../halt-point.ts'
import type { QueryRequest } from '../state-machine/state-query.ts'
import type { UpgradeHalt } from '../upgrade-halt.ts'
import type { AbciApplication } from './abci-application.ts'
import type {
  CheckTxRequest,
  HashedBlock,
  InfoRequest,
  PrepareProposalRequest,
} from './messages.ts'

export interface HaltOptions {
  readonly halt: HaltPoint
  readonly onHalted: (height: number) => void
  readonly upgrade: UpgradeHalt | undefined
  /** Rejects when the node stops, which fails the calls that are still blocked. */
  readonly stopped: Promise<never>
}

/**
 * Halts an application. After its last block it neither proposes nor executes others: CometBFT waits, with that height
 * as the last one in both stores, until the node ends it. At an upgrade it decides the block of that height, but does
 * not execute it: CometBFT has that block, and replays it to the next release.
 */
export class HaltingApplication implements AbciApplication {
  readonly #inner: AbciApplication
  readonly #options: HaltOptions
  #finalized: Pick<HashedBlock, 'height' | 'time'> = { height: 0, time: 0n }

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
    const { upgrade, stopped } = this.#options
    if (upgrade !== undefined && request.height >= upgrade.plan.height) {
      upgrade.onReached()
      await stopped
    }
    this.#finalized = request
    return this.#inner.finalizeBlock(request)
  }

  async commit() {
    const response = await this.#inner.commit()
    const { halt, onHalted } = this.#options
    if (isHaltReached(halt, this.#finalized)) onHalted(this.#finalized.height)
    return response
  }

  async #reach(height: number): Promise<void> {
    const { halt, stopped } = this.#options
    if (height > this.#finalized.height && isHaltReached(halt, this.#finalized)) await stopped
  }
}
