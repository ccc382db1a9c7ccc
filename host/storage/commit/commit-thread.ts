import type { LockstepError } from '../../base/error.ts'
import { WorkerClient } from '../../base/worker/worker-client.ts'
import type { Changeset } from '../../evm/state/changeset.ts'
import type { CommitAnswer, CommitOutcome, CommitRequest } from './commit-messages.ts'
import type { ReversibleCommitter } from './committer.ts'
import type { CommitterOptions } from './lmdb-committer.ts'
import type { StateProof, StateProver } from './proof/state-proof.ts'

export interface CommitThreadSite {
  /** The thread died: nothing can be committed any more, and every call fails. */
  readonly onError: (error: LockstepError) => void
  /** The file that the thread runs. */
  readonly script?: URL
}

export type CommitThreadOptions = CommitterOptions & CommitThreadSite

/**
 * The state commit on a thread of its own, so that a block executes while the one before is hashed and
 * written. `version` and `appHash` are those of the newest answer. A thread takes long to start, so that it may be
 * started before there is something to open.
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
      name: 'the thread of the state commit',
      hint: 'start the node again; the write-ahead log has what is missing',
      onDeath: onError,
    })
    this.#worker.start()
  }

  /** Starts a thread that opens the state commit at once. Throws as `open`. */
  static async open({ onError, script, ...options }: CommitThreadOptions): Promise<CommitThread> {
    const thread = new CommitThread({ onError, ...(script !== undefined && { script }) })
    await thread.open(options)
    return thread
  }

  /** Opens the state commit at the newest version on disk; a failure ends the thread. @throws STORE_CORRUPTED, STORE_FULL */
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

  /** Ends the thread once what was asked before is done and on disk. */
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
