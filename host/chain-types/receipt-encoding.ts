import { encodeRlp, rlpInteger } from '../base/rlp.ts'
import type { Receipt } from './receipt.ts'

/**
 * The consensus encoding of a receipt: EIP-2718 type, then status (the state root before Byzantium),
 * cumulative gas, bloom and logs.
 */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const payload = encodeRlp([
    receipt.stateRoot ?? rlpInteger(receipt.status),
    rlpInteger(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
  if (receipt.type === 0) return payload
  const encoded = new Uint8Array(payload.length + 1)
  encoded[0] = receipt.type
  encoded.set(payload, 1)
  return encoded
}
