import type { LockstepError } from '../../../base/error.ts'
import { WorkerClient } from '../../../base/worker/worker-client.ts'
import type { DeferredRecovery } from '../../../evm/chain-types/signature-recovery.ts'
import { ANSWER_BYTES, REQUEST_BYTES } from '../../../evm/engine/batch-recovery.ts'
import type { Phases } from '../phases.ts'
import { addressAt, type RecoveryBatch, writeRequest } from './recovery-batch.ts'

/** Messages in flight: one being processed and one to continue with. */
const MOST_SENT = 2
/** Requests per message: one call of recovery.wasm, so that the first of a burst need not wait for the last. */
const MOST_REQUESTS = 512

interface Request {
  readonly bytes: Uint8Array
  resolve(address: Uint8Array | undefined): void
  reject(error: unknown): void
}

/**
 * Recovers senders on a worker, which starts with the first request. A single recovery is more than half of the cost
 * of a transfer; in a batch each takes some 0.6 of that (bench/precompiles.md). Requests of one event loop iteration,
 * or made while the worker is busy, share a message.
 */
export class RecoveryThread implements DeferredRecovery {
  readonly #worker: WorkerClient<Uint8Array<ArrayBuffer>, RecoveryBatch>
  readonly #phases: Phases
  /** Requests not yet sent. */
  #waiting: Request[] = []
  /** Messages in flight. */
  #sent = 0

  /**
   * @param module recovery.wasm
   * @param onError called if the worker dies, after which every request fails
   */
  constructor(
    module: WebAssembly.Module,
    phases: Phases,
    onError: (error: LockstepError) => void,
    script: URL = new URL('./recovery-worker.ts', import.meta.url),
  ) {
    this.#phases = phases
    this.#worker = new WorkerClient({
      script,
      name: 'the recovery thread',
      workerData: module,
      onDeath: onError,
    })
  }

  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(REQUEST_BYTES)
    writeRequest(bytes, 0, digest, yParity, r, s)
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#send())
      this.#waiting.push({ bytes, resolve, reject })
    })
  }

  /** Terminates the worker; pending requests fail. */
  close(): Promise<void> {
    return this.#worker.close()
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#sent < MOST_SENT) {
      void this.#exchange(this.#waiting.splice(0, MOST_REQUESTS))
    }
  }

  async #exchange(requests: readonly Request[]): Promise<void> {
    const message = new Uint8Array(requests.length * REQUEST_BYTES)
    for (const [i, { bytes }] of requests.entries()) message.set(bytes, i * REQUEST_BYTES)
    try {
      const { addresses, busyNs } = await this.#ask(message)
      if (addresses.length !== requests.length * ANSWER_BYTES) {
        throw this.#worker.fail(
          `it answered ${requests.length} requests with ${addresses.length} bytes`,
        )
      }
      this.#phases.recoverNs += busyNs
      for (const [i, { resolve }] of requests.entries()) {
        resolve(addressAt(addresses, i * ANSWER_BYTES))
      }
    } catch (thrown) {
      for (const { reject } of requests) reject(thrown)
    }
  }

  /** Sends the next message before the response is processed, so that the worker is never idle. */
  async #ask(message: Uint8Array<ArrayBuffer>): Promise<RecoveryBatch> {
    this.#sent++
    try {
      return await this.#worker.run(message, [message.buffer])
    } finally {
      this.#sent--
      this.#send()
    }
  }
}
