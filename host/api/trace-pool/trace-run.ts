import type { BorrowedView } from '../../base/borrowed-view.ts'
import { LockstepError } from '../../base/error.ts'
import type { JsonChunks } from '../../base/json-chunks.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { TraceOutput, TracePhase, TraceRequest } from './trace-runner.ts'

/** The outcome of a trace, for metrics. */
export type TraceEnd = 'done' | 'failed' | 'expired' | 'cancelled'

/** A chunk of a trace, borrowed from the thread that wrote it. */
export interface BorrowedChunk extends BorrowedView {
  /** Returns the chunk to its thread when it is no longer read. Call once. */
  release(): void
}

export interface TraceRunEvents {
  /** Called when the trace is no longer wanted; `reason` is for the worker. */
  onStop(reason: LockstepError): void
  /** Called when the job fails, even if no reader is left. */
  onFailure(error: Error): void
  /** Called when the worker has ended the trace, and its output has been consumed or dropped. */
  onEnd(end: TraceEnd): void
}

type Step = IteratorResult<BorrowedView, Error | undefined>

/** The main thread's view of a trace, from admission until its last byte is consumed. */
export class TraceRun implements JsonChunks {
  readonly request: TraceRequest
  readonly #output = Promise.withResolvers<TraceOutput>()
  /** Resolves when output is available, complete or its first chunk; rejects with an earlier error. */
  readonly started = this.#output.promise
  phase: TracePhase = 'queue'
  /** Number of times that the trace was preempted. */
  preemptions = 0
  /** Number of workers that died while running the trace. */
  deaths = 0
  readonly #events: TraceRunEvents
  /** Timeout of the queue, then of the job. */
  #timer: Timer | undefined
  readonly #leave: () => void
  readonly #chunks: BorrowedChunk[] = []
  /** The chunk that the reader is using. */
  #handedOut: BorrowedChunk | undefined
  #hasOutput = false
  /** How the worker has ended the trace; undefined while it runs. */
  #threadEnd: 'whole' | 'closed' | 'cut' | undefined
  /** The first failure. */
  #failure: { readonly error: Error; readonly end: TraceEnd } | undefined
  #readerGone = false
  #isOver = false
  #wake: (() => void) | undefined

  constructor(request: TraceRequest, events: TraceRunEvents) {
    this.request = request
    this.#events = events
    this.#leave = () => this.#cancel()
    request.signal.addEventListener('abort', this.#leave)
  }

  /** Queues the trace; the time limit of its job does not run meanwhile. */
  wait(): void {
    this.phase = 'queue'
    this.#expireAfter(this.request.waitMs)
  }

  /** Starts the job and its time limit; restarts the time limit if the job had started before. */
  begin(): void {
    this.phase = this.request.job.plan === undefined ? 'run' : 'replay'
    this.#expireAfter(this.request.timeoutMs)
  }

  #expireAfter(milliseconds: number): void {
    stopTimer(this.#timer)
    if (this.isStopping) return
    this.#timer = startTimer(() => this.#expire(), milliseconds)
  }

  /** True if output was sent: the trace cannot be restarted. */
  get hasOutput(): boolean {
    return this.#hasOutput
  }

  /** True if the worker was told to stop the trace. */
  get isStopping(): boolean {
    return this.#failure !== undefined
  }

  /** True if the trace has ended and its output is no longer awaited. */
  get isOver(): boolean {
    return this.#isOver
  }

  deliver(chunk: BorrowedChunk): void {
    this.#hasOutput = true
    if (this.#readerGone) {
      chunk.release()
      return
    }
    this.#chunks.push(chunk)
    this.#output.resolve(this)
    this.#resume()
  }

  /** Completes the trace; `rest` is the last part of its output. */
  complete(rest: Uint8Array): void {
    if (this.#hasOutput) {
      if (rest.length > 0) this.deliver({ borrowed: rest, release: () => {} })
    } else {
      this.#readerGone = true
      this.#output.resolve(rest)
    }
    this.#settle('whole')
  }

  /** Ends the trace after the worker closed the result because of an error. */
  end(error: Error): void {
    this.#events.onFailure(error)
    this.#fail(error, 'failed')
    this.#settle('closed')
  }

  /** Fails the trace because the worker has died or never started. Output that was sent is truncated. */
  cut(error: Error): void {
    this.#fail(error, 'failed')
    this.#settle('cut')
  }

  async next(): Promise<Step> {
    this.#takeBack()
    while (true) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.#handedOut = chunk
        return { done: false, value: chunk }
      }
      if (this.#threadEnd !== undefined) return this.#last(this.#threadEnd)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Called when the reader stops. */
  async return(): Promise<Step> {
    this.#takeBack()
    this.#cancel()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Drops the unread output, because its time is over. */
  drop(): void {
    if (this.#chunks.length > 0) this.#threadEnd = 'cut'
    this.#discard()
    this.#readerGone = true
    this.#resume()
    this.#finishIfOver()
  }

  #last(end: 'whole' | 'closed' | 'cut'): Step {
    this.#readerGone = true
    this.#finishIfOver()
    if (end === 'cut') throw this.#failure?.error
    return { done: true, value: end === 'whole' ? undefined : this.#failure?.error }
  }

  #takeBack(): void {
    this.#handedOut?.release()
    this.#handedOut = undefined
  }

  /**
   * Returns the unread chunks to their worker. The chunk that the reader is using is returned when it requests the
   * next.
   */
  #discard(): void {
    for (const chunk of this.#chunks.splice(0)) chunk.release()
  }

  #settle(end: 'whole' | 'closed' | 'cut'): void {
    if (this.#threadEnd !== undefined) return
    this.#threadEnd = end
    this.#resume()
    this.#finishIfOver()
  }

  #expire(): void {
    const isWriting = this.#chunks.length > 0 || this.#handedOut !== undefined
    const error = this.request.expired(isWriting ? 'write' : this.phase)
    this.#fail(error, 'expired')
    this.#events.onStop(error)
  }

  #cancel(): void {
    if (this.#isOver) return
    const error = callerGone()
    this.#readerGone = true
    this.#discard()
    this.#fail(error, 'cancelled')
    if (this.#threadEnd === undefined) this.#events.onStop(error)
    this.#resume()
    this.#finishIfOver()
  }

  #fail(error: Error, end: TraceEnd): void {
    this.#failure ??= { error, end }
    // Without output the response is the error.
    if (!this.#hasOutput) {
      this.#readerGone = true
      this.#output.reject(error)
    }
  }

  #resume(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  #finishIfOver(): void {
    if (this.#isOver || this.#threadEnd === undefined || !this.#readerGone) return
    this.#isOver = true
    stopTimer(this.#timer)
    this.request.signal.removeEventListener('abort', this.#leave)
    this.#events.onEnd(this.#failure?.end ?? 'done')
  }
}

export function callerGone(): LockstepError {
  return new LockstepError('REQUEST_TIMEOUT', 'the caller has disconnected')
}
