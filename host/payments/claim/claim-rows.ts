import type { Hex } from '../../base/hex.ts'
import type { ClaimRow, Sale } from './claim-codec.ts'
import type { TokenUnit } from './claims.ts'

/** What the claims of one resource, token, payee and chain have in common. */
export type SaleTerms = Pick<Sale, 'resource' | 'chainId' | 'asset' | 'payTo'>

/** Changes of a sale's totals. */
export type SaleChange = Partial<Omit<Sale, keyof SaleTerms>>

/** A claim as it is stored. */
export interface StoredClaim {
  readonly key: Uint8Array
  readonly row: ClaimRow
  readonly terms: SaleTerms
}

/** The owner of a store, and which other owners have exited. */
export interface ClaimOwners {
  /** Lower-case hex. */
  readonly own: string
  /** Deliveries of an owner that has exited, by key name; undefined if the owner is alive. */
  deliveriesOfExited(owner: string): ReadonlyMap<string, Uint8Array> | undefined
}

/**
 * The tables of claims inside one transaction, in either store. A row is a copy: changes take effect with `put`. Keys
 * are those of `encodeKey`.
 */
export interface ClaimRows {
  row(key: Uint8Array): ClaimRow | undefined
  /** Stores a row that did not exist. */
  add(key: Uint8Array, row: ClaimRow): void
  /** Stores a changed row. */
  put(key: Uint8Array, row: ClaimRow): void
  remove(key: Uint8Array, row: ClaimRow): void
  /** Returns the authorizations that a transaction settled. */
  settledBy(txHash: Hex): readonly Uint8Array[]
  /** Returns the number of a sale, which is created if missing. */
  saleOf(terms: SaleTerms): number
  /** @throws STORE_CORRUPTED */
  termsOf(sale: number): SaleTerms
  count(sale: number, change: SaleChange): void
  describe(chainId: bigint, asset: Hex, unit: TokenUnit): void
}
