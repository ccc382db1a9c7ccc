import type { Application, ConsensusEngine, SyncStatus } from '../application.ts'

/** A node whose blocks CometBFT decides, as the rest of the node sees it. */
export class CometEngine implements ConsensusEngine {
  readonly #application: Pick<Application, 'info'>
  readonly #sync: () => SyncStatus
  readonly #stop: () => Promise<void>

  constructor(
    application: Pick<Application, 'info'>,
    sync: () => SyncStatus,
    stop: () => Promise<void>,
  ) {
    this.#application = application
    this.#sync = sync
    this.#stop = stop
  }

  get sync(): SyncStatus {
    return this.#sync()
  }

  get height(): number {
    return this.#application.info().lastBlockHeight
  }

  /** CometBFT has them in a pool of its own, which tells it. */
  notifyTransactions(): void {}

  stop(): Promise<void> {
    return this.#stop()
  }
}
