import type { PlainError } from '../../base/plain-error.ts'
import { fromPlainError, toPlainError } from '../../base/plain-error.ts'
import type {
  PoolSubmission,
  SubmissionOutcome,
  TransactionPool,
} from '../../chain/consensus/mempool/transaction-pool.ts'
import { RecordedTransaction } from '../../evm/engine/transaction-record.ts'

// Transactions from an RPC worker to the pool. Those of one event-loop turn share a message and one byte array, since
// cloning between threads costs per object.

/** Result of one: null if it was accepted under the hash that it was checked with, else its hash, or the error. */
export type SubmissionResult = null | Uint8Array | PlainError

/** Length of what follows, and 1 if that is a record; little endian. */
const HEAD = 8

/**
 * Encodes each as the length (4 bytes), 1 if it is checked (4), and the record of a checked one, which contains it, or
 * the transaction in network encoding.
 */
export function encodeSubmissions(submissions: readonly PoolSubmission[]): Uint8Array<ArrayBuffer> {
  let size = 0
  for (const { raw, checked } of submissions) size += HEAD + (checked?.record ?? raw).length
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { raw, checked } of submissions) {
    const sent = checked?.record ?? raw
    view.setUint32(at, sent.length, true)
    view.setUint32(at + 4, checked === undefined ? 0 : 1, true)
    bytes.set(sent, at + HEAD)
    at += HEAD + sent.length
  }
  return bytes
}

/** Decodes `encodeSubmissions`. Each submission has its own buffer, since the pool retains it. */
export function decodeSubmissions(bytes: Uint8Array): readonly PoolSubmission[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const submissions: PoolSubmission[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + HEAD + view.getUint32(at, true)
    const own = bytes.slice(at + HEAD, end)
    const checked = view.getUint32(at + 4, true) === 0 ? undefined : new RecordedTransaction(own)
    submissions.push({ raw: checked?.raw ?? own, checked })
    at = end
  }
  return submissions
}

/** Transactions submitted together. */
interface Group {
  readonly submissions: readonly PoolSubmission[]
  readonly resolve: (ends: readonly SubmissionOutcome[]) => void
  readonly reject: (error: unknown) => void
}

/** Batches the submissions of one event-loop turn. */
export class SubmissionBatcher {
  readonly #ask: (submissions: Uint8Array) => Promise<readonly SubmissionResult[]>
  #waiting: Group[] = []

  constructor(ask: (submissions: Uint8Array) => Promise<readonly SubmissionResult[]>) {
    this.#ask = ask
  }

  /** Returns the result of each. @throws if the pool cannot be reached */
  submit(submissions: readonly PoolSubmission[]): Promise<readonly SubmissionOutcome[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#send())
      this.#waiting.push({ submissions, resolve, reject })
    })
  }

  async #send(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const ends = await this.#ask(encodeSubmissions(waiting.flatMap((group) => group.submissions)))
      let at = 0
      for (const { submissions, resolve } of waiting) {
        resolve(submissions.map((submission) => endOf(submission, ends[at++])))
      }
    } catch (thrown) {
      for (const { reject } of waiting) reject(thrown)
    }
  }
}

function endOf({ checked }: PoolSubmission, end: SubmissionResult | undefined): SubmissionOutcome {
  const known = end ?? checked?.hash
  return known instanceof Uint8Array ? known : fromPlainError(known as PlainError)
}

/** Adds a worker's transactions to the pool, in their order. */
export async function answerSubmissions(
  bytes: Uint8Array,
  submitAll: TransactionPool['addAll'],
): Promise<readonly SubmissionResult[]> {
  const submissions = decodeSubmissions(bytes)
  const ends = await submitAll(submissions)
  return ends.map((end, i) => {
    if (!(end instanceof Uint8Array)) return toPlainError(end)
    return (submissions[i] as PoolSubmission).checked === undefined ? end : null
  })
}
