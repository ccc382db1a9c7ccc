import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { RecentCache } from '../../../base/recent-cache.ts'

/**
 * Cache of the latest transactions rejected for good, because of their signature or a used nonce. A repeat gets the
 * same rejection without recovering its sender.
 */
export class RejectionCache {
  readonly #refusals: RecentCache<string, LockstepError>

  /** @param capacity most transactions in the cache; 0 for none */
  constructor(capacity: number) {
    this.#refusals = new RecentCache(capacity)
  }

  add(hash: Uint8Array, refusal: LockstepError): void {
    this.#refusals.set(hexDigits(hash), refusal)
  }

  /** Clears the cache: used nonces may be free again. */
  clear(): void {
    this.#refusals.clear()
  }

  /** @throws TRANSACTION_REJECTED the cached one, if there is one */
  refuseRepeat(hash: Uint8Array): void {
    if (this.#refusals.isEmpty) return
    const refusal = this.#refusals.get(hexDigits(hash))
    if (refusal === undefined) return
    const { code, message, hint } = refusal
    throw new LockstepError(code, message, { hint })
  }
}
