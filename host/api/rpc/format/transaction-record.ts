import { formatData, formatQuantity } from '../../../base/hex.ts'
import { type BlockHeader, timestampOf } from '../../../evm/chain-types/block.ts'
import {
  type AccessListEntry,
  type Authorization,
  effectiveGasPrice,
  type Transaction,
} from '../../../evm/chain-types/transaction.ts'

type Json = Record<string, unknown>

export function accessListRecord(list: readonly AccessListEntry[]): Json[] {
  return list.map((entry) => ({
    address: formatData(entry.address),
    storageKeys: entry.storageKeys.map(formatData),
  }))
}

function authorizationRecord(authorization: Authorization): Json {
  return {
    chainId: formatQuantity(authorization.chainId),
    address: formatData(authorization.address),
    nonce: formatQuantity(authorization.nonce),
    yParity: formatQuantity(authorization.yParity),
    r: formatQuantity(authorization.r),
    s: formatQuantity(authorization.s),
  }
}

/** Position of a transaction in a block; undefined for one that is in none. */
export interface TransactionPosition {
  readonly header: BlockHeader
  readonly index: number
  /** True in the pending block, which has no hash yet. */
  readonly isPending?: true
}

/**
 * Returns a transaction record with the fields of its type. `gasPrice` of a dynamic-fee transaction is the effective
 * price if it is mined, otherwise its cap (geth).
 */
export function transactionRecord(
  transaction: Transaction,
  mined: TransactionPosition | undefined,
): Json {
  const { type } = transaction
  const price =
    mined === undefined || type < 2
      ? transaction.maxFeePerGas
      : effectiveGasPrice(transaction, mined.header.baseFeePerGas)
  return {
    blockHash:
      mined === undefined || mined.isPending === true ? null : formatData(mined.header.hash),
    blockNumber: mined === undefined ? null : formatQuantity(mined.header.number),
    blockTimestamp: mined === undefined ? null : formatQuantity(timestampOf(mined.header)),
    from: formatData(transaction.from),
    gas: formatQuantity(transaction.gas),
    gasPrice: formatQuantity(price),
    ...(type < 2
      ? {}
      : {
          maxFeePerGas: formatQuantity(transaction.maxFeePerGas),
          maxPriorityFeePerGas: formatQuantity(transaction.maxPriorityFeePerGas),
        }),
    hash: formatData(transaction.hash),
    input: formatData(transaction.data),
    nonce: formatQuantity(transaction.nonce),
    to: transaction.to === undefined ? null : formatData(transaction.to),
    transactionIndex: mined === undefined ? null : formatQuantity(mined.index),
    value: formatQuantity(transaction.value),
    type: formatQuantity(type),
    ...(type === 0 ? {} : { accessList: accessListRecord(transaction.accessList) }),
    ...(transaction.chainId === undefined ? {} : { chainId: formatQuantity(transaction.chainId) }),
    ...(type === 3
      ? {
          maxFeePerBlobGas: formatQuantity(transaction.maxFeePerBlobGas),
          blobVersionedHashes: transaction.blobHashes.map(formatData),
        }
      : {}),
    // geth omits an empty list, which only an unsent transaction can have.
    ...(type === 4 && transaction.authorizations.length > 0
      ? { authorizationList: transaction.authorizations.map(authorizationRecord) }
      : {}),
    v: formatQuantity(transaction.v),
    r: formatQuantity(transaction.r),
    s: formatQuantity(transaction.s),
    ...(type === 0 ? {} : { yParity: formatQuantity(transaction.yParity) }),
  }
}
