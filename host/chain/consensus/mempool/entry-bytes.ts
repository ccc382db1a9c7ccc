import type { Transaction } from '../../../evm/chain-types/transaction.ts'

// Heap use of a decoded transaction in Node 22 besides its encoding, averaged over 50,000. By encoding alone a pool
// would hold ten times its memory limit: an authorization of 27 bytes takes 270 more.

/** A transfer with its queue, its index entries and a sender without other transactions: 2,320 measured. */
const TRANSACTION = 2_400
const ACCESSED_ADDRESS = 180
const ACCESSED_SLOT = 108
const AUTHORIZATION = 350

/** Returns the memory that a transaction takes in the pool, in bytes. */
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
