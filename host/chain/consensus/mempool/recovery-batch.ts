import { ANSWER_BYTES } from '../../../evm/engine/batch-recovery.ts'

/** Responses to the requests of a message (`BatchRecovery`), in order. */
export interface RecoveryBatch {
  readonly addresses: Uint8Array<ArrayBuffer>
  /** Nanoseconds that the worker spent on it. */
  readonly busyNs: number
}

/** Writes a request in the format of recovery.wasm. */
export function writeRequest(
  requests: Uint8Array,
  at: number,
  digest: Uint8Array,
  yParity: 0 | 1,
  r: Uint8Array,
  s: Uint8Array,
): void {
  requests.set(digest, at)
  requests.set(r, at + 32)
  requests.set(s, at + 64)
  requests[at + 96] = yParity
}

/** Returns the address of a response; undefined if no key yields the signature. */
export function addressAt(answers: Uint8Array, at: number): Uint8Array | undefined {
  return answers[at] === 1 ? answers.slice(at + 1, at + ANSWER_BYTES) : undefined
}
