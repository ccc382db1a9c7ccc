import type { BorrowedView } from '../../base/borrowed-view.ts'
import { LockstepError } from '../../base/error.ts'
import type { JsonChunks } from '../../base/json-chunks.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { TraceOutput, TracePhase, TraceRequest } from './trace-runner.ts'

/** How a trace ended, for whoever counts. */
export type TraceEnd = 'done' | 'failed' | 'expired' | 'cancelled'

/** A piece of a trace, borrowed from the thread that wrote it. */
export interface BorrowedChunk extends BorrowedView {
  /** Gives the chunk back, once: nobody reads it any more. */
  giveBack(): void
}

export interface TraceRunEvents {
  /** The trace is no longer wanted; `reason` is for the thread. */
  onStop(reason: LockstepError): void
  /** The job failed, whether or not anybody waits for it. */
  onFailure(error: Error): void
  /** The thread has ended the trace, and its output has been taken or given up. */
  onEnd(end: TraceEnd): void
}

type Step = IteratorResult<BorrowedView, Error | undefined>

/** One trace as the main thread sees it: from its admission until its last byte is taken. */
export class TraceRun implements JsonChunks {
  readonly request: TraceRequest
  /** Resolves when there is output, all of it or the first piece; rejects with an error that came before. */
  readonly started: Promise<TraceOutput>
  phase: TracePhase = 'queue'
  /** Number of times that the trace made way for others. */
  turns = 0
  /** Number of threads that ended while the trace ran on them. */
  deaths = 0
  readonly #events: TraceRunEvents
  /** Times the wait for a thread, then the work on it. */
  #timer: Timer | undefined
  readonly #leave: () => void
  #start: (output: TraceOutput) => void = () => {}
  #refuse: (error: Error) => void = () => {}
  readonly #chunks: BorrowedChunk[] = []
  /** The piece that the reader is busy with. */
  #handedOut: BorrowedChunk | undefined
  #hasOutput = false
  /** How the thread has ended the trace; undefined while it runs. */
  #threadEnd: 'whole' | 'closed' | 'cut' | undefined
  /** The first failure. */
  #failure: { readonly error: Error; readonly end: TraceEnd } | undefined
  #readerGone = false
  #isOver = false
  #wake: (() => void) | undefined

  constructor(request: TraceRequest, events: TraceRunEvents) {
    this.request = request
    this.#events = events
    this.started = new Promise((resolve, reject) => {
      this.#start = resolve
      this.#refuse = reject
    })
    this.#leave = () => this.#cancel()
    request.signal.addEventListener('abort', this.#leave)
  }

  /** The trace waits for a thread; the time of its job does not pass meanwhile. */
  wait(): void {
    this.phase = 'queue'
    this.#expireAfter(this.request.waitMs)
  }

  /** The job begins, and its time with it; the time begins anew where the job had begun before. */
  begin(): void {
    this.phase = this.request.job.plan === undefined ? 'run' : 'replay'
    this.#expireAfter(this.request.timeoutMs)
  }

  #expireAfter(milliseconds: number): void {
    stopTimer(this.#timer)
    if (this.isStopping) return
    this.#timer = startTimer(() => this.#expire(), milliseconds)
  }

  /** True once output was sent: the trace cannot begin again. */
  get hasOutput(): boolean {
    return this.#hasOutput
  }

  /** True once the thread was told to stop the trace. */
  get isStopping(): boolean {
    return this.#failure !== undefined
  }

  /** True once the trace has ended, and nobody waits for its output. */
  get isOver(): boolean {
    return this.#isOver
  }

  deliver(chunk: BorrowedChunk): void {
    this.#hasOutput = true
    if (this.#readerGone) {
      chunk.giveBack()
      return
    }
    this.#chunks.push(chunk)
    this.#start(this)
    this.#resume()
  }

  /** The trace has been written to its end; `rest` is the last part. */
  complete(rest: Uint8Array): void {
    if (this.#hasOutput) {
      if (rest.length > 0) this.deliver({ borrowed: rest, giveBack: () => {} })
    } else {
      this.#readerGone = true
      this.#start(rest)
    }
    this.#settle('whole')
  }

  /** The thread has closed the result after an error. */
  end(error: Error): void {
    this.#events.onFailure(error)
    this.#fail(error, 'failed')
    this.#settle('closed')
  }

  /** The thread is gone, or never began. Output that was sent ends in the middle. */
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

  /** The reader has gone. */
  async return(): Promise<Step> {
    this.#takeBack()
    this.#cancel()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Gives up the output that is not taken yet: its time is over. */
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
    this.#handedOut?.giveBack()
    this.#handedOut = undefined
  }

  /**
   * Gives back the chunks that the reader has not seen. The one it is busy with comes back when it asks for
   * the next.
   */
  #discard(): void {
    for (const chunk of this.#chunks.splice(0)) chunk.giveBack()
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
    // Without output the answer is the error.
    if (!this.#hasOutput) {
      this.#readerGone = true
      this.#refuse(error)
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
  return new LockstepError('REQUEST_TIMEOUT', 'the caller has gone')
}
