import { Worker } from 'node:worker_threads'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { DeferredRecovery } from '../../chain-types/signature-recovery.ts'
import { ANSWER_BYTES, REQUEST_BYTES } from '../../engine/batch-recovery.ts'
import type { Phases } from '../phases.ts'
import {
  addressAt,
  type RecoveryBatch,
  type RecoveryRequests,
  writeRequest,
} from './recovery-batch.ts'

/** Messages that the thread has at a time: one to work on, one to go on with. What comes meanwhile waits for the next. */
const MOST_SENT = 2
/** Requests in a message: what a call of recovery.wasm takes, so that the first of a burst need not wait for the last. */
const MOST_REQUESTS = 512

interface Request {
  readonly bytes: Uint8Array
  resolve(address: Uint8Array | undefined): void
  reject(error: unknown): void
}

/**
 * Recovers senders on a thread of its own: alone each recovery is more than half of the cost of a transfer,
 * and many at once take some 0.6 of that each (bench/precompiles.md). So what is asked in one turn of the event
 * loop goes over in one message, and so does what is asked while the thread is busy. It starts with the first request.
 */
export class RecoveryThread implements DeferredRecovery {
  readonly #module: WebAssembly.Module
  readonly #script: URL
  #worker: Worker | undefined
  readonly #phases: Phases
  /** Asked in this turn. */
  #waiting: Request[] = []
  /** Sent, by the number of their message. */
  readonly #sent = new Map<number, Request[]>()
  #lastNumber = 0
  readonly #onError: (error: LockstepError) => void
  #failure: LockstepError | undefined

  /** `module` is recovery.wasm; `onError` hears when the thread dies, after which every request fails. */
  constructor(
    module: WebAssembly.Module,
    phases: Phases,
    onError: (error: LockstepError) => void,
    script: URL = new URL('./recovery-worker.ts', import.meta.url),
  ) {
    this.#phases = phases
    this.#onError = onError
    this.#module = module
    this.#script = script
  }

  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const bytes = new Uint8Array(REQUEST_BYTES)
    writeRequest(bytes, 0, digest, yParity, r, s)
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#send())
      this.#waiting.push({ bytes, resolve, reject })
    })
  }

  /** Ends the thread; requests in progress fail. */
  async close(): Promise<void> {
    this.#fail(new LockstepError('SERVER_BUSY', 'the node is stopping'))
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#module })
    worker.on('message', (batch: RecoveryBatch) => this.#settle(batch))
    worker.on('error', (cause) => this.#die(cause.message, cause))
    worker.on('exit', (code) => this.#die(`it ended with code ${code}`))
    return worker
  }

  #send(): void {
    // Closed since something was asked
    if (this.#failure !== undefined) return
    // A system that has no thread left says so at once
    try {
      this.#worker ??= this.#start()
    } catch (cause) {
      this.#die(messageOf(cause), cause)
      return
    }
    while (this.#waiting.length > 0 && this.#sent.size < MOST_SENT) {
      const requests = this.#waiting.splice(0, MOST_REQUESTS)
      const number = ++this.#lastNumber
      this.#sent.set(number, requests)
      const message = new Uint8Array(requests.length * REQUEST_BYTES)
      for (const [i, { bytes }] of requests.entries()) message.set(bytes, i * REQUEST_BYTES)
      this.#worker.postMessage({ number, requests: message } satisfies RecoveryRequests, [
        message.buffer,
      ])
    }
  }

  #settle({ number, addresses, busyNs }: RecoveryBatch): void {
    if (this.#failure !== undefined) return
    const requests = this.#sent.get(number)
    if (requests === undefined || addresses.length !== requests.length * ANSWER_BYTES) {
      this.#die(`it answered requests ${number}, which nobody made`)
      return
    }
    this.#sent.delete(number)
    this.#send()
    this.#phases.recoverNs += busyNs
    for (const [i, { resolve }] of requests.entries()) {
      resolve(addressAt(addresses, i * ANSWER_BYTES))
    }
  }

  /** Ends the thread for the first reason; a thread that was closed does not die. */
  #die(how: string, cause?: unknown): void {
    if (this.#failure !== undefined) return
    const text = `the recovery thread died: ${how}`
    const failure = new LockstepError('ENGINE_FAULT', text, { cause })
    this.#fail(failure)
    this.#onError(failure)
    void this.#worker?.terminate()
  }

  #fail(failure: LockstepError): void {
    this.#failure ??= failure
    const requests = [...[...this.#sent.values()].flat(), ...this.#waiting]
    this.#sent.clear()
    this.#waiting = []
    for (const { reject } of requests) reject(failure)
  }
}
