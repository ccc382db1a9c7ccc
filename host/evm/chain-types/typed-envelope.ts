import { encodeRlp, type RlpItem } from '../../base/rlp.ts'
import type { TransactionType } from './transaction.ts'

/** A transaction or a receipt: its type, which one of type 0 goes without, and the list of its fields (EIP-2718). */
export function encodeEnvelope(type: TransactionType, fields: readonly RlpItem[]): Uint8Array {
  if (type === 0) return encodeRlp(fields)
  const bytes = encodeRlp(fields, 1)
  bytes[0] = type
  return bytes
}
