import { bigintToBytes, bytesToBigint, equalBytes } from '../../base/bytes.ts'
import { requireBits, requireLength } from '../../base/writable.ts'

/** Bytes of an account record: nonce 8 (big-endian), balance 32 (big-endian), code hash 32. */
export const ACCOUNT_RECORD = 72

/** Keccak-256 of no bytes: the code hash of an account without code. */
export const EMPTY_CODE_HASH: Uint8Array = Uint8Array.from(
  'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'.match(/../g) as string[],
  (digits) => Number.parseInt(digits, 16),
)

/** A decoded account record. */
export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

export const NO_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

export function encodeAccount(account: Account): Uint8Array {
  requireBits(account.nonce, 64, 'a nonce')
  requireBits(account.balance, 256, 'a balance')
  const record = new Uint8Array(ACCOUNT_RECORD)
  record.set(bigintToBytes(account.nonce, 8), 0)
  record.set(bigintToBytes(account.balance, 32), 8)
  requireLength(account.codeHash, ACCOUNT_RECORD - 40, 'a code hash')
  record.set(account.codeHash, 40)
  return record
}

/** Decodes an account record; `NO_ACCOUNT` if it is undefined. */
export function decodeAccount(record: Uint8Array | undefined): Account {
  if (record === undefined) return NO_ACCOUNT
  return {
    nonce: nonceIn(record),
    balance: bytesToBigint(record, BALANCE.start, BALANCE.end),
    codeHash: record.slice(40, ACCOUNT_RECORD),
  }
}

/** Returns the nonce of a record without decoding the rest; that of `NO_ACCOUNT` if it is undefined. */
export function nonceIn(record: Uint8Array | undefined): bigint {
  return record === undefined ? NO_ACCOUNT.nonce : bytesToBigint(record, 0, 8)
}

/** Byte range of the balance in a record. */
export const BALANCE = { start: 8, end: 40 } as const

/** True if the account has code. */
export function isContract({ codeHash }: Account): boolean {
  return !equalBytes(codeHash, EMPTY_CODE_HASH)
}
