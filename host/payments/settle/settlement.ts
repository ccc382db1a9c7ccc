import type { Hex } from '../../base/hex.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

export type Verification =
  | {
      readonly isValid: true
      readonly payer: Hex
      /** Gas limit of the settlement; absent if it is already executed, or another party pays. */
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

/** Verifies and settles EIP-3009 authorizations: with an own key, or through a facilitator. */
export interface Settlement {
  verify(proof: AuthorizationProof, terms: PaymentTerms): Promise<Verification>
  /**
   * Resolves when a canonical block has the transfer, or when none can.
   * @param sending awaited with the hash of each transaction before it is sent
   */
  settle(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    sending: (txHash: Hex) => Promise<void>,
    signal: AbortSignal,
  ): Promise<SettleResult>
}
