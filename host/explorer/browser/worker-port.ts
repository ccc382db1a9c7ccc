import { fromPlainError, toPlainError } from '../../base/plain-error.ts'
import type { BundleRunner, Chunk, RunnerCallOptions } from './bundle-runner.ts'
import { askingView, type BundleStateRead } from './edit/state-read.ts'
import {
  type CallNumber,
  type FromBundleWorker,
  type ToBundleWorker,
  UNREAD_CHUNKS,
} from './messages.ts'
import { openSession } from './session.ts'

/** The worker's end of the message channel: the worker itself, or a port. */
export interface PortLike {
  postMessage(message: unknown, transfer: Transferable[]): void
  onmessage: ((event: MessageEvent) => void) | null
}

/** Answers the calls of a page. */
export class WorkerPort {
  readonly #port: PortLike
  readonly #calls = new Map<CallNumber, RunningCall>()
  #session: Promise<BundleRunner> | undefined

  constructor(port: PortLike) {
    this.#port = port
    port.onmessage = ({ data }) => this.#receive(data as ToBundleWorker)
  }

  #receive(message: ToBundleWorker): void {
    switch (message.kind) {
      case 'begin':
        this.#session = openSession(message.parts)
        // Each call rethrows it.
        this.#session.catch(() => {})
        break
      case 'call':
        void this.#run(message)
        break
      case 'abort':
        this.#calls.get(message.id)?.abort(fromPlainError(message.reason))
        break
      case 'taken':
        this.#calls.get(message.id)?.onTaken()
        break
      case 'answer':
        this.#calls.get(message.id)?.onAnswer(message)
        break
    }
  }

  async #run(message: ToBundleWorker & { kind: 'call' }): Promise<void> {
    const { id, call } = message
    const running = new RunningCall(id, (answer, transfer) =>
      this.#port.postMessage(answer, transfer ?? []),
    )
    this.#calls.set(id, running)
    try {
      const session = (await this.#session) as BundleRunner
      const value = await session.call(call.name, call.argument, running.options(message))
      this.#send({ kind: 'done', id, value })
    } catch (thrown) {
      this.#send({ kind: 'failed', id, error: toPlainError(thrown) })
    } finally {
      this.#calls.delete(id)
    }
  }

  #send(message: FromBundleWorker): void {
    this.#port.postMessage(message, [])
  }
}

interface Reading {
  resolve(value: Uint8Array | undefined): void
  reject(error: unknown): void
}

/** A running call: its unread chunks, and its reads that wait for the page. */
class RunningCall {
  readonly #id: CallNumber
  readonly #send: (message: FromBundleWorker, transfer?: Transferable[]) => void
  readonly #controller = new AbortController()
  readonly #reads = new Map<number, Reading>()
  #lastRead = 0
  #untaken = 0
  /** Several chunks may be sent before the call waits for the first of them. */
  #waiting: (() => void)[] = []

  constructor(
    id: CallNumber,
    send: (message: FromBundleWorker, transfer?: Transferable[]) => void,
  ) {
    this.#id = id
    this.#send = send
  }

  options({ hasSource, hasProgress }: ToBundleWorker & { kind: 'call' }): RunnerCallOptions {
    return {
      signal: this.#controller.signal,
      onChunk: (chunk) => this.#give(chunk),
      onProgress: hasProgress
        ? (step) => this.#send({ kind: 'progress', id: this.#id, step })
        : undefined,
      source: hasSource ? askingView((what) => this.#ask(what)) : undefined,
    }
  }

  abort(reason: Error): void {
    this.#controller.abort(reason)
    this.#resume()
    for (const { reject } of this.#reads.values()) reject(reason)
    this.#reads.clear()
  }

  onTaken(): void {
    this.#untaken--
    if (this.#untaken < UNREAD_CHUNKS) this.#resume()
  }

  onAnswer({ read, value, error }: ToBundleWorker & { kind: 'answer' }): void {
    const reading = this.#reads.get(read)
    this.#reads.delete(read)
    if (error === undefined) reading?.resolve(value)
    else reading?.reject(fromPlainError(error))
  }

  #give(chunk: Chunk): void | Promise<void> {
    this.#untaken++
    this.#send({ kind: 'chunk', id: this.#id, chunk }, [chunk.buffer])
    if (this.#untaken < UNREAD_CHUNKS) return
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #resume(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  #ask(what: BundleStateRead): Promise<Uint8Array | undefined> {
    const read = ++this.#lastRead
    this.#send({ kind: 'read', id: this.#id, read, what })
    return new Promise((resolve, reject) => this.#reads.set(read, { resolve, reject }))
  }
}
