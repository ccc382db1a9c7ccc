import { concatBytes } from '../../../base/bytes.ts'
import { Fifo } from '../../../base/fifo.ts'
import {
  ANSWER_BYTES,
  type BatchRecovery,
  REQUEST_BYTES,
} from '../../../evm/engine/batch-recovery.ts'

/** Recoveries per event loop iteration, about six milliseconds. The rest waits for the next one. */
export const MAX_RECOVERY_BATCH = 128

/** Requests that were made together, at most `MOST_REQUESTS`. */
interface Group {
  readonly requests: Uint8Array
  readonly resolve: (answers: Uint8Array) => void
}

/**
 * Recovers senders in batches on the calling thread. A batch runs when it is full, or after an event loop iteration
 * without new requests. A hundred together take two thirds of the time that batches of eight take, which is what one
 * iteration typically brings.
 */
export class BatchedRecovery {
  readonly #recovery: Pick<BatchRecovery, 'recover'>
  readonly #waiting = new Fifo<Group>()
  /** Number of waiting requests. */
  #count = 0

  constructor(recovery: Pick<BatchRecovery, 'recover'>) {
    this.#recovery = recovery
  }

  /** Resolves with the responses to requests (`BatchRecovery.recover`), at most `MOST_REQUESTS`. */
  recover(requests: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#recoverOrWait(0))
      this.#waiting.push({ requests, resolve })
      this.#count += requests.length / REQUEST_BYTES
    })
  }

  /** Waits for another iteration if requests have arrived since the last one. */
  #recoverOrWait(known: number): void {
    const count = this.#count
    if (count > known && count < MAX_RECOVERY_BATCH) {
      setImmediate(() => this.#recoverOrWait(count))
      return
    }
    const groups = this.#takeTurn()
    if (this.#waiting.length > 0) setImmediate(() => this.#recoverOrWait(this.#count))
    this.#recover(groups)
  }

  /** Removes and returns the groups for one iteration. */
  #takeTurn(): readonly Group[] {
    const groups: Group[] = []
    let bytes = 0
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      bytes += next.requests.length
      if (groups.length > 0 && bytes > MAX_RECOVERY_BATCH * REQUEST_BYTES) break
      groups.push(next)
      this.#waiting.shift()
      this.#count -= next.requests.length / REQUEST_BYTES
    }
    return groups
  }

  #recover(groups: readonly Group[]): void {
    const answers = this.#recovery.recover(concatBytes(groups.map(({ requests }) => requests)))
    let at = 0
    for (const { requests, resolve } of groups) {
      const end = at + (requests.length / REQUEST_BYTES) * ANSWER_BYTES
      resolve(answers.subarray(at, end))
      at = end
    }
  }
}
