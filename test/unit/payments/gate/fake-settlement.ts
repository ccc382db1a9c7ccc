import type { Hex } from '../../../../host/base/hex.ts'
import type { InvalidReason } from '../../../../host/payments/protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'
import type { Settlement, SettleResult } from '../../../../host/payments/settle/settlement.ts'

/** A settlement with configured answers that counts its calls. */
export class FakeSettlement implements Settlement {
  /** Reason to refuse authorizations; undefined if they are valid. */
  invalidReason: InvalidReason | undefined
  /** Outcome of a settlement; an error is thrown. */
  outcome: SettleResult | Error
  /** Called after the transaction was recorded, before it would be sent. */
  whileSettling: () => Promise<void> = async () => undefined
  verified = 0
  settled = 0

  constructor(txHash: Hex, payer: Hex) {
    this.outcome = { success: true, txHash, payer }
  }

  async verify({ from }: AuthorizationProof) {
    this.verified++
    const { invalidReason } = this
    return invalidReason === undefined
      ? ({ isValid: true, payer: from } as const)
      : ({ isValid: false, invalidReason, payer: from } as const)
  }

  async settle(
    _proof: AuthorizationProof,
    _terms: unknown,
    sending: (txHash: Hex) => Promise<void>,
  ): Promise<SettleResult> {
    this.settled++
    const { outcome } = this
    if (outcome instanceof Error) throw outcome
    if (outcome.txHash !== undefined) await sending(outcome.txHash)
    await this.whileSettling()
    return outcome
  }
}
