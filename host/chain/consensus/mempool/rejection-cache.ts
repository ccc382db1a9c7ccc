import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'

/**
 * Cache of the latest transactions rejected for good, because of their signature or a used nonce. A repeat gets the
 * same rejection without recovering its sender.
 */
export class RejectionCache {
  readonly #capacity: number
  readonly #refusals = new Map<string, LockstepError>()

  /** @param capacity most transactions in the cache; 0 for none */
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

  /** Clears the cache: used nonces may be free again. */
  clear(): void {
    this.#refusals.clear()
  }

  /** @throws TRANSACTION_REJECTED the cached one, if there is one */
  refuseRepeat(hash: Uint8Array): void {
    if (this.#refusals.size === 0) return
    const refusal = this.#refusals.get(hexDigits(hash))
    if (refusal === undefined) return
    const { code, message, hint } = refusal
    throw new LockstepError(code, message, { hint })
  }
}
