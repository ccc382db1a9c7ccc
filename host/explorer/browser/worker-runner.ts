import { LockstepError } from '../../base/error.ts'
import { fromPlainError, toPlainError } from '../../base/plain-error.ts'
import { abortError } from '../../evm/execute/run-until.ts'
import {
  type Argument,
  type BundleRunner,
  type Calls,
  type Chunk,
  closedError,
  type Result,
  type RunnerCallOptions,
  type SessionParts,
} from './bundle-runner.ts'
import { readStateValue } from './edit/state-read.ts'
import type { CallNumber, FromBundleWorker, ToBundleWorker } from './messages.ts'
import type { WorkerLike } from './worker-like.ts'

interface Pending extends RunnerCallOptions {
  resolve(value: unknown): void
  reject(error: unknown): void
  readonly onAbort: () => void
  /** Chunks that their reader has not yet processed. */
  readonly reading: Set<Promise<void>>
}

/** A runner in a worker: calls are sent as messages, and results are matched by call number. */
export class WorkerRunner implements BundleRunner {
  readonly #worker: WorkerLike
  readonly #pending = new Map<CallNumber, Pending>()
  #lastCall = 0
  /** Why no more calls can be answered. */
  #end: LockstepError | undefined

  constructor(worker: WorkerLike, parts: SessionParts) {
    this.#worker = worker
    worker.onmessage = ({ data }) => this.#receive(data as FromBundleWorker)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#fail(event.message)
    }
    worker.onmessageerror = () => this.#fail('a message could not be read')
    this.#send({ kind: 'begin', parts })
  }

  async call<Name extends keyof Calls>(
    name: Name,
    argument: Argument<Name>,
    options: RunnerCallOptions,
  ): Promise<Result<Name>> {
    const { signal, source, onProgress } = options
    if (this.#end !== undefined) throw this.#end
    if (signal.aborted) throw abortError(signal)
    const id = ++this.#lastCall
    const call = { name, argument } as (ToBundleWorker & { kind: 'call' })['call']
    const has = { hasSource: source !== undefined, hasProgress: onProgress !== undefined }
    this.#send({ kind: 'call', id, call, ...has })
    return new Promise<unknown>((resolve, reject) => {
      const onAbort = () => this.#abort(id, abortError(signal))
      signal.addEventListener('abort', onAbort)
      this.#pending.set(id, { ...options, resolve, reject, onAbort, reading: new Set() })
    }) as Promise<Result<Name>>
  }

  /** Terminates the worker, whatever it is doing: its memory is freed at once. */
  close(): void {
    this.#finish(closedError())
  }

  #send(message: ToBundleWorker): void {
    this.#worker.postMessage(message)
  }

  /** Rejects the call at once, and tells the worker to stop it. */
  #abort(id: CallNumber, error: LockstepError): void {
    this.#send({ kind: 'abort', id, reason: toPlainError(error) })
    this.#settle(id)?.reject(error)
  }

  #receive(message: FromBundleWorker): void {
    const { id } = message
    switch (message.kind) {
      case 'done':
        void this.#complete(id, message.value)
        break
      case 'failed':
        this.#settle(id)?.reject(fromPlainError(message.error))
        break
      case 'chunk':
        this.#deliver(id, message.chunk)
        break
      case 'progress':
        this.#pending.get(id)?.onProgress?.(message.step)
        break
      case 'read':
        void this.#read(message)
        break
    }
  }

  /** Completes a call after its chunks have been processed. */
  async #complete(id: CallNumber, value: unknown): Promise<void> {
    await Promise.all(this.#pending.get(id)?.reading ?? [])
    this.#settle(id)?.resolve(value)
  }

  #deliver(id: CallNumber, chunk: Chunk): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    const reading = this.#give(id, pending, chunk).finally(() => pending.reading.delete(reading))
    pending.reading.add(reading)
  }

  /** Passes a chunk to its reader. An error of the reader ends the call with that error. */
  async #give(id: CallNumber, { onChunk }: Pending, chunk: Chunk): Promise<void> {
    try {
      await onChunk?.(chunk)
      this.#send({ kind: 'taken', id })
    } catch (thrown) {
      this.#send({ kind: 'abort', id, reason: toPlainError(thrown) })
      this.#settle(id)?.reject(thrown)
    }
  }

  async #read({ id, read, what }: FromBundleWorker & { kind: 'read' }): Promise<void> {
    const source = this.#pending.get(id)?.source
    if (source === undefined) return
    try {
      const value = await readStateValue(what, source)
      this.#send({ kind: 'answer', id, read, value })
    } catch (thrown) {
      this.#send({ kind: 'answer', id, read, value: undefined, error: toPlainError(thrown) })
    }
  }

  #settle(id: CallNumber): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    pending.signal.removeEventListener('abort', pending.onAbort)
    return pending
  }

  /** Handles the loss of the worker: an uncaught error, or a script that did not load. */
  #fail(message: string | undefined): void {
    const what = message ? `: ${message}` : ', or did not start'
    this.#finish(
      new LockstepError('ENGINE_FAULT', `the worker of the bundle ended${what}`, {
        hint: "open the bundle again; the page's policy must allow workers from the URL of the library",
      }),
    )
  }

  #finish(error: LockstepError): void {
    this.#end ??= error
    this.#worker.terminate()
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(this.#end)
  }
}
