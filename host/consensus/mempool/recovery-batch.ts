import { ANSWER_BYTES, REQUEST_BYTES } from '../../engine/batch-recovery.ts'

/** A message of requests (`BatchRecovery`). */
export interface RecoveryRequests {
  /** The number of the message before, plus one. */
  readonly number: number
  readonly requests: Uint8Array<ArrayBuffer>
}

/** Answers to a message of requests, in their order. */
export interface RecoveryBatch {
  /** The number of the requests. */
  readonly number: number
  readonly addresses: Uint8Array<ArrayBuffer>
  /** Time the worker spent on it. */
  readonly busyNs: number
}

/** A request as recovery.wasm takes it. */
export function recoveryRequest(
  digest: Uint8Array,
  yParity: 0 | 1,
  r: Uint8Array,
  s: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(REQUEST_BYTES)
  bytes.set(digest)
  bytes.set(r, 32)
  bytes.set(s, 64)
  bytes[96] = yParity
  return bytes
}

/** The address of an answer; undefined where no key gives the signature. */
export function addressAt(answers: Uint8Array, at: number): Uint8Array | undefined {
  return answers[at] === 1 ? answers.slice(at + 1, at + ANSWER_BYTES) : undefined
}
