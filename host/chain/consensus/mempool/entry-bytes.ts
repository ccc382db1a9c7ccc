import type { Transaction } from '../../../evm/chain-types/transaction.ts'

// What a decoded transaction takes in the heap of Node 22 beside its encoding, as measured over 50,000 of them. By its
// encoding alone a pool would hold ten times the memory that it is given: an authorization of 27 bytes takes 270 more.

/** A transfer, with its queue, its places in the indexes, and a sender who has no other: 2,320 measured. */
const TRANSACTION = 2_400
const ACCESSED_ADDRESS = 180
const ACCESSED_SLOT = 108
const AUTHORIZATION = 350

/** Bytes of memory that a transaction takes in the pool. */
export function entryBytes({
  raw,
  accessList,
  authorizations,
}: Pick<Transaction, 'raw' | 'accessList' | 'authorizations'>): number {
  let bytes = raw.length + TRANSACTION + authorizations.length * AUTHORIZATION
  for (const { storageKeys } of accessList) {
    bytes += ACCESSED_ADDRESS + storageKeys.length * ACCESSED_SLOT
  }
  return bytes
}
