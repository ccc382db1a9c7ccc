import { atLeast, type Revision } from '../chain-types/revision.ts'
import type { Transaction } from '../chain-types/transaction.ts'

/** Gas of a plain transfer. */
export const TRANSFER_GAS = 21_000n

const CREATION = 32_000n
const INIT_CODE_WORD = 2n
const ACCESS_LIST_ADDRESS = 2_400n
const ACCESS_LIST_SLOT = 1_900n
const AUTHORIZATION = 25_000n
const FLOOR_PER_TOKEN = 10n

type Priced = Pick<Transaction, 'to' | 'data' | 'accessList' | 'authorizations'>

function zeroBytes(data: Uint8Array): number {
  let zeros = 0
  for (const byte of data) if (byte === 0) zeros++
  return zeros
}

/**
 * Gas charged before any code runs (yellow paper 6.2; EIP-2, 2028, 2930, 3860, 7702). The engine holds
 * the same rule; this one tells a sender what is missing.
 */
export function intrinsicGas(transaction: Priced, revision: Revision): bigint {
  const { data } = transaction
  const zeros = zeroBytes(data)
  const perByte = atLeast(revision, 'Istanbul') ? 16n : 68n
  let gas = TRANSFER_GAS + BigInt(zeros) * 4n + BigInt(data.length - zeros) * perByte
  if (transaction.to === undefined && atLeast(revision, 'Homestead')) {
    gas += CREATION
    if (atLeast(revision, 'Shanghai')) gas += BigInt((data.length + 31) >> 5) * INIT_CODE_WORD
  }
  for (const { storageKeys } of transaction.accessList) {
    gas += ACCESS_LIST_ADDRESS + BigInt(storageKeys.length) * ACCESS_LIST_SLOT
  }
  return gas + BigInt(transaction.authorizations.length) * AUTHORIZATION
}

/** Least gas that data costs from Prague on, whatever the code does (EIP-7623). */
export function floorDataGas(data: Uint8Array): bigint {
  const zeros = zeroBytes(data)
  return TRANSFER_GAS + BigInt(zeros + (data.length - zeros) * 4) * FLOOR_PER_TOKEN
}
