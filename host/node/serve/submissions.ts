import type { PlainError } from '../../base/plain-error.ts'
import { fromPlainError, toPlainError } from '../../base/plain-error.ts'
import { requireLength } from '../../base/writable.ts'
import type { PrecheckedTransaction } from '../../chain/consensus/mempool/checked-transaction.ts'
import type {
  PoolSubmission,
  SubmissionOutcome,
  TransactionPool,
} from '../../chain/consensus/mempool/transaction-pool.ts'

// Transactions from an RPC worker to the pool. Those of one event-loop turn share a message and one byte array, since
// cloning between threads costs per object.

/** Result of one: null if it was accepted under the hash that it was checked with, else its hash, or the error. */
export type SubmissionResult = null | Uint8Array | PlainError

const HASH = 32
const ADDRESS = 20
/** Length of the transaction, little endian, and 1 if hash and sender follow. */
const HEAD = 5

/**
 * Encodes each as length (4 bytes), checked (1), if checked hash (32) and sender (20), and the transaction in network
 * encoding.
 */
export function encodeSubmissions(submissions: readonly PoolSubmission[]): Uint8Array<ArrayBuffer> {
  let size = 0
  for (const { raw, checked } of submissions) {
    size += HEAD + (checked === undefined ? 0 : HASH + ADDRESS) + raw.length
  }
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { raw, checked } of submissions) {
    view.setUint32(at, raw.length, true)
    at += HEAD
    if (checked !== undefined) {
      requireLength(checked.hash, HASH, 'a hash')
      requireLength(checked.from, ADDRESS, 'a sender')
      bytes[at - 1] = 1
      bytes.set(checked.hash, at)
      bytes.set(checked.from, at + HASH)
      at += HASH + ADDRESS
    }
    bytes.set(raw, at)
    at += raw.length
  }
  return bytes
}

/** Decodes `encodeSubmissions`. Each submission has its own buffer, since the pool retains it. */
export function decodeSubmissions(bytes: Uint8Array): readonly PoolSubmission[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const submissions: PoolSubmission[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at, true)
    const rawAt = bytes[at + HEAD - 1] === 1 ? HASH + ADDRESS : 0
    at += HEAD
    const own = bytes.slice(at, at + rawAt + length)
    const checked: PrecheckedTransaction | undefined =
      rawAt === 0 ? undefined : { hash: own.subarray(0, HASH), from: own.subarray(HASH, rawAt) }
    submissions.push({ raw: own.subarray(rawAt), checked })
    at += own.length
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
