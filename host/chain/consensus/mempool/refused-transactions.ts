import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'

/**
 * The newest transactions that were refused for good: their signature, or a nonce that is used. A repeat is
 * answered as the first was, without the recovery of its sender.
 */
export class RefusedTransactions {
  readonly #capacity: number
  readonly #refusals = new Map<string, LockstepError>()

  /** @param capacity most transactions that are remembered; 0 for none */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(hash: Uint8Array, refusal: LockstepError): void {
    if (this.#capacity === 0) return
    const key = hexDigits(hash)
    this.#refusals.delete(key)
    const [oldest] = this.#refusals.keys()
    if (oldest !== undefined && this.#refusals.size >= this.#capacity) this.#refusals.delete(oldest)
    this.#refusals.set(key, refusal)
  }

  /** Forgets all: what was used may be free again. */
  clear(): void {
    this.#refusals.clear()
  }

  /** @throws TRANSACTION_REJECTED as the first time, for one that is remembered */
  refuseRepeat(hash: Uint8Array): void {
    if (this.#refusals.size === 0) return
    const refusal = this.#refusals.get(hexDigits(hash))
    if (refusal === undefined) return
    const { code, message, hint } = refusal
    throw new LockstepError(code, message, { hint })
  }
}
