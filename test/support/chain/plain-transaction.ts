import type { Transaction } from '../../../host/evm/chain-types/transaction.ts'

/** Returns a transaction with all its fields as own properties. One with a record decodes some at their access. */
export function plainTransaction(transaction: Transaction): Transaction {
  const { type, chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value } = transaction
  const { data, accessList, authorizations, maxFeePerBlobGas, blobHashes } = transaction
  const { v, yParity, r, s, hash, raw, from } = transaction
  return {
    ...{ type, chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value },
    ...{ data, accessList, authorizations, maxFeePerBlobGas, blobHashes },
    ...{ v, yParity, r, s, hash, raw, from },
  }
}
