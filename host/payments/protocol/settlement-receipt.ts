import type { Hex } from '../../base/hex.ts'
import type { InvalidReason } from './invalid-reason.ts'

/** Content of the headers `X-PAYMENT-RESPONSE` (v1) and `PAYMENT-RESPONSE` (v2). */
export interface SettlementReceipt {
  readonly success: boolean
  /** Empty if nothing was settled. */
  readonly transaction: Hex | ''
  /** v1: name. v2: CAIP-2. */
  readonly network: string
  readonly payer: Hex
  readonly errorReason?: InvalidReason
}
