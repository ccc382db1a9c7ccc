import { encodeRlp, type RlpItem } from '../../base/rlp.ts'
import type { TransactionType } from './transaction.ts'

/** Encodes a transaction or receipt: the type byte, omitted for type 0, and the list of fields (EIP-2718). */
export function encodeEnvelope(type: TransactionType, fields: readonly RlpItem[]): Uint8Array {
  if (type === 0) return encodeRlp(fields)
  const bytes = encodeRlp(fields, 1)
  bytes[0] = type
  return bytes
}
