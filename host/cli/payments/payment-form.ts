import type { Hex } from '../../base/hex.ts'
import { formatTime } from '../../base/time.ts'
import type { ClaimRecord } from '../../payments/claim/claims.ts'
import type { Ledger } from '../../payments/claim/ledger.ts'
import { formatTokenAmount } from '../../payments/protocol/token-amount.ts'

/** A payment as printed: amounts are decimal strings, times RFC 3339, and unknown values null. */
export interface PaymentForm {
  readonly id: Hex
  readonly kind: 'transfer' | 'authorization'
  readonly chainId: string
  readonly state: string
  readonly paid: boolean
  readonly resource: string
  readonly request: string
  readonly payer: Hex
  readonly payTo: Hex
  readonly asset: Hex
  /** In the token's smallest unit. */
  readonly amount: string
  /** In tokens, if their decimals are known. */
  readonly tokens: string | null
  readonly symbol: string | null
  readonly transaction: Hex | null
  readonly claimedAt: string
  readonly deliveredAt: string | null
  readonly refundTransaction: Hex | null
  readonly refundedAt: string | null
}

function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : formatTime(BigInt(milliseconds) * 1_000_000n)
}

export function formOf(record: ClaimRecord, ledger: Ledger): PaymentForm {
  const { key, amount, asset, txHash, claimedAt, deliveredAt, refund } = record
  const unit = ledger.unit(key.chainId, asset)
  return {
    id: key.id,
    kind: key.kind,
    chainId: key.chainId.toString(),
    state: record.state,
    paid: record.isPaid,
    resource: record.resource,
    request: record.request,
    payer: record.payer,
    payTo: record.payTo,
    asset,
    amount: amount.toString(),
    tokens: unit === undefined ? null : formatTokenAmount(amount, unit.decimals),
    symbol: unit?.symbol ?? null,
    transaction: txHash ?? null,
    claimedAt: timeOf(claimedAt) ?? '',
    deliveredAt: timeOf(deliveredAt),
    refundTransaction: refund?.txHash ?? null,
    refundedAt: timeOf(refund?.at),
  }
}

/** Removes control characters from text that payers choose, so that it cannot control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, '?')
}

/** In tokens, if their decimals are known. */
export function amountText({ amount, tokens, symbol }: PaymentForm): string {
  return tokens === null ? `${amount} units` : `${tokens} ${printable(symbol ?? '')}`.trim()
}
