import { equalBytes } from '../../base/bytes.ts'
import {
  accessListAddressGas,
  accessListByteGas,
  accessListSlotGas,
  authorizationGas,
  coldAccountGas,
  createGas,
  DATA_ZERO,
  dataNonzeroGas,
  floorTokenGas,
  INITCODE_WORD,
  SENDER_BASE,
  TOKENS_NONZERO,
  TRANSACTION_GAS,
  TRANSFER_VALUE,
  tokensZeroGas,
} from '../chain-types/generated/gas.ts'
import { MAX_TOTAL_GAS, MAX_TRANSACTION_GAS } from '../chain-types/generated/limit.ts'
import { atLeast, type Revision } from '../chain-types/revision.ts'
import type { Transaction } from '../chain-types/transaction.ts'

/** A transaction without a known sender is priced as one to its sender: the least it can cost. */
type Priced = Pick<Transaction, 'to' | 'value' | 'data' | 'accessList' | 'authorizations'> & {
  readonly from?: Uint8Array
}

function zeroBytes(data: Uint8Array): bigint {
  let zeros = 0
  for (const byte of data) if (byte === 0) zeros++
  return BigInt(zeros)
}

/** Returns the cost of sender, recipient and value (EIP-2, EIP-2780). */
function baseGas({ from, to, value }: Priced, revision: Revision): bigint {
  if (!atLeast(revision, 'Amsterdam')) {
    const creates = to === undefined && atLeast(revision, 'Homestead')
    return TRANSACTION_GAS + (creates ? createGas(revision) : 0n)
  }
  if (to === undefined) return SENDER_BASE + createGas(revision)
  if (from === undefined || equalBytes(from, to)) return SENDER_BASE
  return SENDER_BASE + coldAccountGas(revision) + (value > 0n ? TRANSFER_VALUE : 0n)
}

/** Returns the number of slots in an access list. */
function slotCount({ accessList }: Priced): bigint {
  return BigInt(accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0))
}

/** Returns the cost of the access list's bytes (EIP-7981). */
function accessListData(transaction: Priced, revision: Revision): bigint {
  const bytes = 20n * BigInt(transaction.accessList.length) + 32n * slotCount(transaction)
  return bytes * accessListByteGas(revision)
}

/**
 * Returns the gas charged before any code runs (Yellow Paper, section 6.2; EIP-2, 2028, 2780, 2930, 3860, 7702, 7981).
 * The engine has the same rule; this one reports to a sender what is missing.
 */
export function intrinsicGas(transaction: Priced, revision: Revision): bigint {
  const { to, data, accessList, authorizations } = transaction
  const zeros = zeroBytes(data)
  let gas = baseGas(transaction, revision)
  gas += zeros * DATA_ZERO + (BigInt(data.length) - zeros) * dataNonzeroGas(revision)
  if (to === undefined && atLeast(revision, 'Shanghai')) {
    gas += BigInt((data.length + 31) >> 5) * INITCODE_WORD
  }
  gas += BigInt(accessList.length) * accessListAddressGas(revision)
  gas += slotCount(transaction) * accessListSlotGas(revision)
  gas += accessListData(transaction, revision)
  return gas + BigInt(authorizations.length) * authorizationGas(revision)
}

/** Returns the most gas that a transaction may have (EIP-7825, EIP-8037); undefined before Osaka. */
export function transactionGasCap(revision: Revision): bigint | undefined {
  if (atLeast(revision, 'Amsterdam')) return MAX_TOTAL_GAS
  return atLeast(revision, 'Osaka') ? MAX_TRANSACTION_GAS : undefined
}

/** Returns the minimum gas for a transaction's data since Prague (EIP-7623, EIP-7976, EIP-7981). */
export function floorDataGas(transaction: Priced, revision: Revision): bigint {
  const { data } = transaction
  const zeros = zeroBytes(data)
  const tokens = zeros * tokensZeroGas(revision) + (BigInt(data.length) - zeros) * TOKENS_NONZERO
  const base = atLeast(revision, 'Amsterdam') ? baseGas(transaction, revision) : TRANSACTION_GAS
  return base + tokens * floorTokenGas(revision) + accessListData(transaction, revision)
}
