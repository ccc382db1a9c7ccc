import type { Hex } from '../../base/hex.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

export type Verification =
  | {
      readonly isValid: true
      readonly payer: Hex
      /** Limit of gas of its settlement; absent if it is carried out already, or somebody else pays for it. */
      readonly gas?: bigint
    }
  | { readonly isValid: false; readonly invalidReason: InvalidReason; readonly payer?: Hex }

export type SettleResult =
  | { readonly success: true; readonly txHash: Hex; readonly payer: Hex }
  | {
      readonly success: false
      readonly errorReason: InvalidReason
      readonly payer: Hex
      readonly txHash?: Hex
    }

/** Checks authorizations of EIP-3009 and carries them out: with a key of its own, or by another facilitator. */
export interface Settlement {
  verify(proof: AuthorizationProof, terms: PaymentTerms): Promise<Verification>
  /**
   * Resolves once a canonical block has the transfer, or it is certain that none will.
   * @param sending is awaited with the hash of each transaction before it is sent
   */
  settle(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    sending: (txHash: Hex) => Promise<void>,
    signal: AbortSignal,
  ): Promise<SettleResult>
}
