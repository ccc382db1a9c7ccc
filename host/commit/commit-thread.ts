import { Worker } from 'node:worker_threads'
import { LockstepError, messageOf } from '../base/error.ts'
import { fromPlainError } from '../base/plain-error.ts'
import type { Changeset } from '../state/changeset.ts'
import type { CommitAnswer, CommitRequest, NumberedRequest } from './commit-messages.ts'
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

type Done = Extract<CommitAnswer, { kind: 'done' }>

interface Waiting {
  readonly number: number
  resolve(answer: Done): void
  reject(error: unknown): void
}

/**
 * The state commit on a thread of its own, so that a block executes while the one before is hashed and
 * written. `version` and `appHash` are those of the newest answer. A thread takes long to start, so that it may be
 * started before there is something to open.
 */
export class CommitThread implements ReversibleCommitter, StateProver {
  readonly #onError: (error: LockstepError) => void
  readonly #worker: Worker
  /** In the order of the answers. */
  readonly #waiting: Waiting[] = []
  #nextNumber = 0
  #isOpen = false
  #version = -1
  #appHash: Uint8Array = new Uint8Array(32)
  #busyNs = 0
  #end: LockstepError | undefined

  constructor({
    onError,
    script = new URL('./commit-worker.ts', import.meta.url),
  }: CommitThreadSite) {
    this.#onError = onError
    this.#worker = new Worker(script)
    this.#worker.on('message', (answer: CommitAnswer) => this.#settle(answer))
    this.#worker.on('error', (cause) => this.#die(messageOf(cause), cause))
    this.#worker.on('exit', (code) => this.#die(`it ended with code ${code}`))
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
      await this.#terminate()
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
    const { outcome } = await this.#ask({ kind: 'stage', changeset })
    return outcome.staged as Uint8Array
  }

  async commit(): Promise<void> {
    await this.#ask({ kind: 'commit' })
  }

  async prove(module: string, key: Uint8Array, height: number): Promise<StateProof> {
    const { outcome } = await this.#ask({ kind: 'prove', module, key, height })
    return outcome.proof as StateProof
  }

  async revert(target: number, from: number): Promise<void> {
    await this.#ask({ kind: 'revert', target, from })
  }

  /** Ends the thread once what was asked before is done and on disk. */
  async close(): Promise<void> {
    try {
      if (this.#isOpen) await this.#ask({ kind: 'close' })
    } finally {
      await this.#terminate()
    }
  }

  #ask(request: CommitRequest): Promise<Done> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const number = this.#nextNumber
    const answer = this.#nextAnswer()
    this.#worker.postMessage({ number, request } satisfies NumberedRequest)
    return answer
  }

  #nextAnswer(): Promise<Done> {
    const number = this.#nextNumber++
    return new Promise((resolve, reject) => this.#waiting.push({ number, resolve, reject }))
  }

  #settle(answer: CommitAnswer): void {
    if (this.#end !== undefined) return
    const waiting = this.#waiting.shift()
    if (waiting?.number !== answer.number) {
      this.#die(`request ${waiting?.number ?? 'none'} was answered as ${answer.number}`)
      waiting?.reject(this.#end)
      return
    }
    if (answer.kind === 'failed') {
      waiting?.reject(fromPlainError(answer.error))
      return
    }
    this.#version = answer.version
    this.#appHash = answer.appHash
    this.#busyNs = answer.busyNs
    waiting?.resolve(answer)
  }

  #die(how: string, cause?: unknown): void {
    if (this.#end !== undefined) return
    const message = `the thread of the state commit died: ${how}`
    const error = new LockstepError('ENGINE_FAULT', message, {
      cause,
      hint: 'start the node again; the write-ahead log has what is missing',
    })
    this.#fail(error)
    this.#onError(error)
  }

  async #terminate(): Promise<void> {
    this.#fail(new LockstepError('SERVER_BUSY', 'the node is stopping'))
    await this.#worker.terminate()
  }

  /** The first reason stays; a thread that has ended for one does not die of another. */
  #fail(error: LockstepError): void {
    this.#end ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end)
  }
}
