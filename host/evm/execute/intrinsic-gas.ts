import {
  ACCESS_LIST_ADDRESS,
  ACCESS_LIST_SLOT,
  AUTHORIZATION_NEW,
  DATA_ZERO,
  dataNonzeroGas,
  FLOOR_TOKEN,
  INITCODE_WORD,
  TOKENS_NONZERO,
  TRANSACTION_CREATE,
  TRANSACTION_GAS,
} from '../chain-types/generated/gas.ts'
import { atLeast, type Revision } from '../chain-types/revision.ts'
import type { Transaction } from '../chain-types/transaction.ts'

type Priced = Pick<Transaction, 'to' | 'data' | 'accessList' | 'authorizations'>

function zeroBytes(data: Uint8Array): number {
  let zeros = 0
  for (const byte of data) if (byte === 0) zeros++
  return zeros
}

/**
 * Returns the gas charged before any code runs (Yellow Paper, section 6.2; EIP-2, 2028, 2930, 3860, 7702). The engine
 * has the same rule; this one reports to a sender what is missing.
 */
export function intrinsicGas(transaction: Priced, revision: Revision): bigint {
  const { data } = transaction
  const zeros = zeroBytes(data)
  let gas =
    TRANSACTION_GAS +
    BigInt(zeros) * DATA_ZERO +
    BigInt(data.length - zeros) * dataNonzeroGas(revision)
  if (transaction.to === undefined && atLeast(revision, 'Homestead')) {
    gas += TRANSACTION_CREATE
    if (atLeast(revision, 'Shanghai')) gas += BigInt((data.length + 31) >> 5) * INITCODE_WORD
  }
  for (const { storageKeys } of transaction.accessList) {
    gas += ACCESS_LIST_ADDRESS + BigInt(storageKeys.length) * ACCESS_LIST_SLOT
  }
  return gas + BigInt(transaction.authorizations.length) * AUTHORIZATION_NEW
}

/** Returns the minimum gas for a transaction's data since Prague (EIP-7623). */
export function floorDataGas(data: Uint8Array): bigint {
  const zeros = zeroBytes(data)
  return (
    TRANSACTION_GAS + (BigInt(zeros) + BigInt(data.length - zeros) * TOKENS_NONZERO) * FLOOR_TOKEN
  )
}
