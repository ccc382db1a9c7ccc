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
