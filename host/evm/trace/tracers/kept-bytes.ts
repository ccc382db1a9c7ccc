import { LockstepError } from '../../../base/error.ts'

/** Bytes of a record beside its data, as it is kept: names, addresses, numbers. */
export const RECORD_BYTES = 512

/** Counts the bytes that a tracer keeps of a transaction until it ends. */
export class KeptBytes {
  readonly #limit: number | undefined
  readonly #subject: string
  readonly #hint: string
  #bytes = 0

  /**
   * Any number without a `limit`. `subject` names the kept things in the plural; `hint` says how to keep
   * less.
   */
  constructor(limit: number | undefined, subject: string, hint: string) {
    this.#limit = limit
    this.#subject = subject
    this.#hint = hint
  }

  /** @throws LIMIT_EXCEEDED */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#limit === undefined || this.#bytes <= this.#limit) return
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `the ${this.#subject} take more than ${this.#limit} bytes ([evm] max_trace_kept_bytes)`,
      { data: { key: 'evm.max_trace_kept_bytes', limit: this.#limit }, hint: this.#hint },
    )
  }
}
