import type { DeferredRecovery } from '../../chain-types/signature-recovery.ts'
import { ANSWER_BYTES, type BatchRecovery, REQUEST_BYTES } from '../../engine/batch-recovery.ts'
import { addressAt, recoveryRequest } from './recovery-batch.ts'

/** Recoveries of a turn of the event loop: some five milliseconds. Those beyond have the next turn. */
const MOST_REQUESTS = 96

interface Request {
  readonly bytes: Uint8Array
  readonly resolve: (address: Uint8Array | undefined) => void
}

/**
 * Recovers senders on the thread that asks: as many at once as a turn may have, or all that wait once a turn of the
 * event loop has brought no more. A hundred together take two thirds of the time of eight at a time, which is what the
 * turns of clients bring.
 */
export class TurnRecovery implements DeferredRecovery {
  readonly #recovery: BatchRecovery
  readonly #waiting: Request[] = []

  constructor(recovery: BatchRecovery) {
    this.#recovery = recovery
  }

  recoverAddress(
    digest: Uint8Array,
    yParity: 0 | 1,
    r: Uint8Array,
    s: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    const bytes = recoveryRequest(digest, yParity, r, s)
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#recoverOrWait(0))
      this.#waiting.push({ bytes, resolve })
    })
  }

  /** Waits another turn where there are more than the turn before knew of. */
  #recoverOrWait(known: number): void {
    const { length } = this.#waiting
    if (length > known && length < MOST_REQUESTS) {
      setImmediate(() => this.#recoverOrWait(length))
      return
    }
    const requests = this.#waiting.splice(0, MOST_REQUESTS)
    if (this.#waiting.length > 0) setImmediate(() => this.#recoverOrWait(this.#waiting.length))
    this.#recover(requests)
  }

  #recover(requests: readonly Request[]): void {
    const asked = new Uint8Array(requests.length * REQUEST_BYTES)
    for (const [i, { bytes }] of requests.entries()) asked.set(bytes, i * REQUEST_BYTES)
    const answers = this.#recovery.recover(asked)
    for (const [i, { resolve }] of requests.entries()) {
      resolve(addressAt(answers, i * ANSWER_BYTES))
    }
  }
}
