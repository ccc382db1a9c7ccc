import type { Hex } from '../../base/hex.ts'
import type { ClaimRecord, Claims } from './claims.ts'

/**
 * A claim that was won, until it ends. Only the first call to end it counts: a second release would take the claim
 * from whoever has won it since.
 */
export class HeldClaim {
  /** State left by an earlier attempt. */
  readonly record: ClaimRecord
  readonly #claims: Claims
  #end: Promise<void> | undefined

  constructor(claims: Claims, record: ClaimRecord) {
    this.#claims = claims
    this.record = record
  }

  /** See `Claims.isHeld`. */
  isHeld(): boolean {
    return this.#claims.isHeld(this.record.key)
  }

  /** Records the transaction before it is sent. */
  settling(txHash: Hex): Promise<void> {
    return this.#claims.settling(this.record.key, txHash)
  }

  settled(txHash: Hex): Promise<void> {
    return this.#claims.settled(this.record.key, txHash)
  }

  delivered(): Promise<void> {
    this.#end ??= this.#claims.delivered(this.record.key)
    return this.#end
  }

  /** Releases the claim after a failed attempt to serve it. */
  failed(): Promise<void> {
    this.#end ??= this.#claims.failed(this.record.key)
    return this.#end
  }

  /** Releases the claim without counting an attempt. */
  release(): Promise<void> {
    this.#end ??= this.#claims.release(this.record.key)
    return this.#end
  }
}
