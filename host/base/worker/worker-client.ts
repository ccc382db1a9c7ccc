import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads'
import { LockstepError, messageOf } from '../error.ts'
import { fromPlainError } from '../plain-error.ts'
import { type StoppableWorker, startStoppable } from '../process/stop-gate.ts'
import { abortable } from '../signal.ts'
import type { FromWorker, NumberedWork } from './worker-messages.ts'

export interface WorkerClientOptions<Note> {
  /** The file that the worker runs; it answers by `serveWork`. */
  readonly script: URL
  /** Name of the worker in messages, such as "the storage thread". */
  readonly name: string
  readonly workerData?: unknown
  readonly resourceLimits?: ResourceLimits
  /** The remedy in the error of a worker that died. */
  readonly hint?: string
  /** Receives messages other than responses. If it throws, the worker is ended with that error. */
  readonly onNote?: (note: Note) => void
  /** Called once if the worker dies; not if it is closed. */
  readonly onDeath?: (error: LockstepError) => void
}

interface Pending<Result> {
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * A worker that answers requests. It starts with the first one, and keeps the process alive while it has one. After it
 * has died or was closed, every request is rejected with the reason.
 */
export class WorkerClient<Work, Result = void, Note = never> {
  readonly #options: WorkerClientOptions<Note>
  readonly #pending = new Map<number, Pending<Result>>()
  #started: StoppableWorker | undefined
  #nextNumber = 0
  #end: LockstepError | undefined

  constructor(options: WorkerClientOptions<Note>) {
    this.#options = options
  }

  /** Starts the worker before its first request. */
  start(): void {
    try {
      this.#started ??= this.#open()
    } catch (cause) {
      this.fail(messageOf(cause), cause)
    }
  }

  /**
   * Resolves with the response.
   * @param transfer buffers that change hands
   * @throws what the worker threw; ENGINE_FAULT if it died; SERVER_BUSY after `close`
   */
  run(work: Work, transfer: readonly TransferListItem[] = []): Promise<Result> {
    if (this.#end === undefined) this.start()
    const worker = this.#worker
    if (this.#end !== undefined || worker === undefined) return Promise.reject(this.#end)
    const number = this.#nextNumber++
    return new Promise<Result>((resolve, reject) => {
      // Work that cannot be cloned rejects only this request.
      worker.postMessage({ number, work } satisfies NumberedWork<Work>, transfer)
      this.#pending.set(number, { resolve, reject })
      worker.ref()
    })
  }

  /**
   * Ends the worker. Requests in progress are rejected.
   * @param last a request to wait for first, if the worker runs
   * @throws what `last` throws, after the worker has ended
   */
  async close(last?: Work): Promise<void> {
    try {
      if (last !== undefined && this.#worker !== undefined && this.#end === undefined) {
        await this.run(last)
      }
    } finally {
      this.#reject(new LockstepError('SERVER_BUSY', 'the node is stopping'))
      await this.#started?.stop()
    }
  }

  /**
   * Ends the worker as dead, because its messages can no longer be trusted.
   * @returns the error that every request is rejected with from now on
   */
  fail(how: string, cause?: unknown): LockstepError {
    const { name, hint } = this.#options
    const options = { cause, ...(hint !== undefined && { hint }) }
    return this.#endWith(new LockstepError('ENGINE_FAULT', `${name} died: ${how}`, options))
  }

  get #worker(): Worker | undefined {
    return this.#started?.worker
  }

  #open(): StoppableWorker {
    const { script, workerData, resourceLimits } = this.#options
    const limits = resourceLimits !== undefined && { resourceLimits }
    const started = startStoppable(() => new Worker(script, { workerData, ...limits }))
    const { worker } = started
    worker.unref()
    worker.on('message', (message: FromWorker<Result, Note>) => this.#take(message))
    worker.on('error', (cause) => this.fail(messageOf(cause), cause))
    worker.on('exit', (code) => this.fail(`it ended with code ${code}`))
    return started
  }

  #take(message: FromWorker<Result, Note>): void {
    if (this.#end !== undefined) return
    if ('note' in message) this.#hear(message.note)
    else this.#settle(message)
  }

  #hear(note: Note): void {
    try {
      this.#options.onNote?.(note)
    } catch (thrown) {
      if (thrown instanceof LockstepError) this.#endWith(thrown)
      else this.fail(messageOf(thrown), thrown)
    }
  }

  #settle(answer: Exclude<FromWorker<Result, Note>, { note: Note }>): void {
    const pending = this.#pending.get(answer.number)
    if (pending === undefined) {
      this.fail(`it answered request ${answer.number}, which was not made`)
      return
    }
    this.#pending.delete(answer.number)
    if (this.#pending.size === 0) this.#worker?.unref()
    if ('error' in answer) pending.reject(fromPlainError(answer.error))
    else pending.resolve(answer.result)
  }

  #endWith(error: LockstepError): LockstepError {
    if (this.#end !== undefined) return this.#end
    this.#reject(error)
    this.#options.onDeath?.(error)
    void this.#started?.stop()
    return error
  }

  /** The first reason stays. */
  #reject(reason: LockstepError): void {
    this.#end ??= reason
    for (const { reject } of this.#pending.values()) reject(this.#end)
    this.#pending.clear()
  }
}

/**
 * Runs one task in its own worker.
 * @throws the reason of the signal; what the worker threw; ENGINE_FAULT if it died
 */
export async function runApart<Work, Result = void, Note = never>(
  options: WorkerClientOptions<Note>,
  work: Work,
  signal?: AbortSignal,
): Promise<Result> {
  signal?.throwIfAborted()
  const worker = new WorkerClient<Work, Result, Note>(options)
  try {
    const result = worker.run(work)
    return await (signal === undefined ? result : abortable(result, signal))
  } finally {
    await worker.close()
  }
}
