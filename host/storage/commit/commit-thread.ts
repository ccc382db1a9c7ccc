import type { LockstepError } from '../../base/error.ts'
import { WorkerClient } from '../../base/worker/worker-client.ts'
import type { Changeset } from '../../evm/state/changeset.ts'
import type { CommitAnswer, CommitOutcome, CommitRequest } from './commit-messages.ts'
import type { ReversibleCommitter } from './committer.ts'
import type { CommitterOptions } from './lmdb-committer.ts'
import type { StateProof, StateProver } from './proof/state-proof.ts'

export interface CommitThreadSite {
  /** Called if the thread dies: every later call fails. */
  readonly onError: (error: LockstepError) => void
  /** The script that the thread runs. */
  readonly script?: URL
}

export type CommitThreadOptions = CommitterOptions & CommitThreadSite

/**
 * The state commit on its own thread, so that a block executes while the previous one is hashed and written.
 * `version` and `appHash` are those of the latest answer. Starting a thread takes long, so the constructor starts it
 * and `open` opens the state commit.
 */
export class CommitThread implements ReversibleCommitter, StateProver {
  readonly #worker: WorkerClient<CommitRequest, CommitAnswer>
  #isOpen = false
  #version = -1
  #appHash: Uint8Array = new Uint8Array(32)
  #busyNs = 0

  constructor({
    onError,
    script = new URL('./commit-worker.ts', import.meta.url),
  }: CommitThreadSite) {
    this.#worker = new WorkerClient({
      script,
      name: 'the state commit thread',
      hint: 'start the node again: it restores what is missing from the write-ahead log',
      onDeath: onError,
    })
    this.#worker.start()
  }

  /** Starts a thread and opens the state commit. Throws the errors of `open`. */
  static async open({ onError, script, ...options }: CommitThreadOptions): Promise<CommitThread> {
    const thread = new CommitThread({ onError, ...(script !== undefined && { script }) })
    await thread.open(options)
    return thread
  }

  /**
   * Opens the state commit at the latest version on disk. A failure ends the thread. @throws STORE_CORRUPTED,
   * STORE_FULL
   */
  async open(options: CommitterOptions): Promise<void> {
    try {
      await this.#ask({ kind: 'open', options })
      this.#isOpen = true
    } catch (thrown) {
      await this.#worker.close()
      throw thrown
    }
  }

  get version(): number {
    return this.#version
  }

  get appHash(): Uint8Array {
    return this.#appHash
  }

  get busyNs(): number {
    return this.#busyNs
  }

  async stage(changeset: Changeset): Promise<Uint8Array> {
    const { staged } = await this.#ask({ kind: 'stage', changeset })
    return staged as Uint8Array
  }

  async commit(): Promise<void> {
    await this.#ask({ kind: 'commit' })
  }

  async prove(module: string, key: Uint8Array, height: number): Promise<StateProof> {
    const { proof } = await this.#ask({ kind: 'prove', module, key, height })
    return proof as StateProof
  }

  async revert(target: number, from: number): Promise<void> {
    await this.#ask({ kind: 'revert', target, from })
  }

  /** Ends the thread after all earlier requests are done and on disk. */
  async close(): Promise<void> {
    try {
      if (this.#isOpen) await this.#ask({ kind: 'close' })
    } finally {
      await this.#worker.close()
    }
  }

  async #ask(request: CommitRequest): Promise<CommitOutcome> {
    const { version, appHash, busyNs, outcome } = await this.#worker.run(request)
    this.#version = version
    this.#appHash = appHash
    this.#busyNs = busyNs
    return outcome
  }
}
