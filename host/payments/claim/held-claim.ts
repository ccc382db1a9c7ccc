import type { Hex } from '../../base/hex.ts'
import type { ClaimRecord, Claims } from './claims.ts'

/**
 * A claim that was won, until it ends. It ends once, by what was called first: given back twice, it would be taken from
 * whoever has won it in between.
 */
export class HeldClaim {
  /** What an earlier attempt has left. */
  readonly record: ClaimRecord
  readonly #claims: Claims
  #end: Promise<void> | undefined

  constructor(claims: Claims, record: ClaimRecord) {
    this.#claims = claims
    this.record = record
  }

  /** Notes the transaction before it is sent. */
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

  /** An attempt to serve it has failed. */
  failed(): Promise<void> {
    this.#end ??= this.#claims.failed(this.record.key)
    return this.#end
  }

  /** Nothing was tried. */
  release(): Promise<void> {
    this.#end ??= this.#claims.release(this.record.key)
    return this.#end
  }
}
