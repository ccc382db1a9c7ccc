/** One request: digest 32, r 32, s 32, y parity 1. */
export const RECOVERY_BYTES = 97
/** One answer: 1 where there is an address, else 0; address 20. */
export const ADDRESS_BYTES = 21

/** A message of requests. */
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
