import { bytesToBigint, EMPTY_BYTES } from '../../../host/base/bytes.ts'
import type { SignatureRecovery } from '../../../host/evm/chain-types/signature-recovery.ts'
import type { TransactionType } from '../../../host/evm/chain-types/transaction.ts'
import {
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../host/evm/chain-types/transaction-codec.ts'
import { wasmKeccak256 } from '../chain/wasm-keccak.ts'

/** A recovery that takes the sender from `r`, since tests make thousands of transactions without signing them. */
export const senderInR: SignatureRecovery = {
  keccak256: wasmKeccak256,
  recoverAddress: (_digest, _yParity, r) => r.slice(12),
}

export type TransactionFields = Partial<UnsignedTransaction>

/** Fields of a transaction without value, data, lists and blobs. */
export const PLAIN_FIELDS = {
  value: 0n,
  data: EMPTY_BYTES,
  accessList: [],
  authorizations: [],
  maxFeePerBlobGas: 0n,
  blobHashes: [],
} as const satisfies Partial<UnsignedTransaction>

const DEFAULTS: UnsignedTransaction = {
  ...PLAIN_FIELDS,
  type: 2,
  chainId: 1329n,
  nonce: 0n,
  maxPriorityFeePerGas: 1n,
  maxFeePerGas: 100n,
  gas: 21_000n,
  to: new Uint8Array(20).fill(0xee),
}

function wireV(type: TransactionType, chainId: bigint | undefined): bigint {
  if (type !== 0) return 0n
  return chainId === undefined ? 27n : chainId * 2n + 35n
}

/** Encodes a transaction of `sender` in a form that `senderInR` reads. */
export function encodeFrom(sender: Uint8Array, fields: TransactionFields = {}): Uint8Array {
  const transaction = { ...DEFAULTS, ...fields }
  return encodeTransaction(transaction, {
    v: wireV(transaction.type, transaction.chainId),
    r: bytesToBigint(sender),
    s: 1n,
  })
}
