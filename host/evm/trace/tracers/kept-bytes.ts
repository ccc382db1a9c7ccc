import { LockstepError } from '../../../base/error.ts'

/** Estimated bytes of a kept record besides its data: names, addresses, numbers. */
export const RECORD_BYTES = 512

/** Limits the bytes that a tracer keeps for a transaction until it ends. */
export class KeptBytes {
  readonly #limit: number | undefined
  readonly #subject: string
  readonly #hint: string
  #bytes = 0

  /** Unlimited without a `limit`. `subject` names what is kept, in the plural; `hint` says how to keep less. */
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
