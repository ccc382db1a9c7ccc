import { ACCOUNT_RECORD, EMPTY_CODE_HASH } from '../../../evm/state/account.ts'
import { CODE_ACCOUNT, type DatabaseName, PLAIN_ACCOUNT, STAMP } from './flatkv.ts'

const VALUE = 32
const NONCE = 8

/** Returns true if a row has the form that its database requires: version byte 0, a height, and a value. */
export function isFlatRow(database: DatabaseName, row: Uint8Array): boolean {
  if (row.length < STAMP || row[0] !== 0) return false
  switch (database) {
    case 'account':
      return row.length === PLAIN_ACCOUNT || row.length === CODE_ACCOUNT
    case 'storage':
      return row.length === STAMP + VALUE
    case 'code':
      return row.length > STAMP
    case 'misc':
      return true
  }
}

/** Returns the height of the block that wrote a row. */
export function rowHeight(row: Uint8Array): number {
  return Number(new DataView(row.buffer, row.byteOffset + 1, 8).getBigUint64(0))
}

/**
 * Returns the value of a row, after its version and height: a slot's value, bytecode, or the value of any other key.
 */
export function rowValue(row: Uint8Array): Uint8Array {
  return row.subarray(STAMP)
}

/** Returns the account record of an account's row, 72 bytes. */
export function accountRecord(row: Uint8Array): Uint8Array {
  const record = new Uint8Array(ACCOUNT_RECORD)
  record.set(row.subarray(STAMP + VALUE, PLAIN_ACCOUNT))
  record.set(row.subarray(STAMP, STAMP + VALUE), NONCE)
  record.set(rowCodeHash(row) ?? EMPTY_CODE_HASH, NONCE + VALUE)
  return record
}

/** Returns the code hash of an account's row, or undefined if the account has no code. */
export function rowCodeHash(row: Uint8Array): Uint8Array | undefined {
  return row.length === CODE_ACCOUNT ? row.subarray(PLAIN_ACCOUNT) : undefined
}
