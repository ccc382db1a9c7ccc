import { formatData, type Hex, parseData } from '../../base/hex.ts'
import type { PostgresRow } from '../../storage/store/postgres/postgres-session.ts'
import type { ClaimRow, Sale } from '../claim/claim-codec.ts'
import type { SaleTerms } from '../claim/claim-rows.ts'

/** The columns of a claim, with their types, in the order of `claimValues`. */
export const CLAIM_COLUMNS = {
  key: 'bytea',
  phase: 'text',
  is_settled: 'boolean',
  owner: 'bytea',
  claimed_at: 'bigint',
  delivered_at: 'bigint',
  sale: 'integer',
  request: 'text',
  body: 'bytea',
  attempts: 'bigint',
  payer: 'bytea',
  amount: 'numeric',
  tx_hash: 'bytea',
  refund_tx: 'bytea',
  refunded_at: 'bigint',
  refund_raw: 'bytea',
} as const

type Column = keyof typeof CLAIM_COLUMNS

/** Selects claims, each with the terms of its sale. */
export const SELECT_CLAIMS = `select c.*, s.resource, s.chain_id, s.asset, s.pay_to
  from lockstep_payments.claims c join lockstep_payments.sales s on s.number = c.sale`

function bytesOf(hex: Hex | undefined): Uint8Array | null {
  return hex === undefined ? null : Buffer.from(parseData(hex))
}

/** Returns the values of a row's columns. */
export function claimValues(key: Uint8Array, row: ClaimRow): Readonly<Record<Column, unknown>> {
  return {
    key: Buffer.from(key),
    phase: row.phase,
    is_settled: row.isSettled,
    owner: row.owner === undefined ? null : Buffer.from(row.owner, 'hex'),
    claimed_at: row.claimedAt,
    delivered_at: row.deliveredAt ?? null,
    sale: row.sale,
    request: row.request,
    body: bytesOf(row.body),
    attempts: row.attempts,
    payer: bytesOf(row.payer),
    amount: row.amount,
    tx_hash: bytesOf(row.txHash),
    refund_tx: bytesOf(row.refund?.txHash),
    refunded_at: row.refund?.at ?? null,
    refund_raw: bytesOf(row.refund?.raw),
  }
}

function hexOf(value: unknown): Hex {
  return formatData(value as Uint8Array)
}

function optional<T>(value: unknown, decode: (value: unknown) => T): T | undefined {
  return value === null ? undefined : decode(value)
}

export function claimRowOf(row: PostgresRow): ClaimRow {
  return {
    phase: row.phase as ClaimRow['phase'],
    isSettled: row.is_settled as boolean,
    owner: optional(row.owner, (value) => Buffer.from(value as Uint8Array).toString('hex')),
    claimedAt: Number(row.claimed_at),
    deliveredAt: optional(row.delivered_at, Number),
    sale: row.sale as number,
    request: row.request as string,
    body: optional(row.body, hexOf),
    attempts: Number(row.attempts),
    payer: hexOf(row.payer),
    amount: BigInt(row.amount as string),
    txHash: optional(row.tx_hash, hexOf),
    refund: optional(row.refund_tx, (value) => ({
      txHash: hexOf(value),
      at: Number(row.refunded_at),
      ...(row.refund_raw !== null && { raw: hexOf(row.refund_raw) }),
    })),
  }
}

export function saleTermsOf(row: PostgresRow): SaleTerms {
  return {
    resource: row.resource as string,
    chainId: BigInt(row.chain_id as string),
    asset: hexOf(row.asset),
    payTo: hexOf(row.pay_to),
  }
}

/** Returns a sale from its terms and the sums of its totals. */
export function saleOfRow(row: PostgresRow): Sale {
  return {
    ...saleTermsOf(row),
    payments: Number(row.payments),
    amount: BigInt(row.amount as string),
    delivered: Number(row.delivered),
    refunds: Number(row.refunds),
    refunded: BigInt(row.refunded as string),
  }
}
