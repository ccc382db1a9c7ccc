import type { Application, ConsensusEngine, SyncStatus } from '../application.ts'

/** The consensus engine of a node whose blocks CometBFT decides. */
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

  /** CometBFT has its own mempool and needs no notification. */
  notifyTransactions(): void {}

  stop(): Promise<void> {
    return this.#stop()
  }
}
