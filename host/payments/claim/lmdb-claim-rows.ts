import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type { LmdbEnv, LmdbTable, RowRange } from '../../storage/store/lmdb/lmdb-env.ts'
import {
  CLAIM_HASH_BYTES,
  CLAIM_KEY_BYTES,
  type ClaimRow,
  decodeClaim,
  decodeSale,
  decodeUnit,
  encodeClaim,
  encodeSale,
  encodeSettlement,
  encodeTimeKey,
  encodeToken,
  encodeUnit,
  NOTHING_SOLD,
  type Sale,
  saleName,
} from './claim-codec.ts'
import type { ClaimRows, SaleChange, SaleTerms } from './claim-rows.ts'
import type { TokenUnit } from './claims.ts'

const NOTHING = new Uint8Array(0)

function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Claims, their times and sales in the tables of an LMDB database. */
export class LmdbClaimRows implements ClaimRows {
  readonly #path: string
  readonly #claims: LmdbTable
  /** Claim keys, prefixed by their times. */
  readonly #times: LmdbTable
  readonly #sales: LmdbTable
  /** Sale numbers by name. */
  readonly #saleNumbers: LmdbTable
  /** Transactions of settled authorizations, each with its claim key. */
  readonly #settlements: LmdbTable
  readonly #tokens: LmdbTable

  /** @throws STORE_CORRUPTED */
  constructor(env: LmdbEnv) {
    this.#path = env.dir
    this.#claims = env.table('claims')
    this.#times = env.table('claim-times')
    this.#sales = env.table('sales')
    this.#saleNumbers = env.table('sale-numbers')
    this.#settlements = env.table('settlements')
    this.#tokens = env.table('tokens')
  }

  row(key: Uint8Array): ClaimRow | undefined {
    const value = this.#claims.get(key)
    return value && decodeClaim(value)
  }

  add(key: Uint8Array, row: ClaimRow): void {
    this.put(key, row)
    this.#times.put(encodeTimeKey(row.claimedAt, key), NOTHING)
  }

  put(key: Uint8Array, row: ClaimRow): void {
    this.#claims.put(key, encodeClaim(row))
    if (row.isSettled && row.txHash !== undefined) {
      this.#settlements.put(encodeSettlement(row.txHash, key), NOTHING)
    }
  }

  remove(key: Uint8Array, { claimedAt, isSettled, txHash }: ClaimRow): void {
    this.#claims.remove(key)
    this.#times.remove(encodeTimeKey(claimedAt, key))
    if (isSettled && txHash !== undefined) this.#settlements.remove(encodeSettlement(txHash, key))
  }

  settledBy(txHash: Hex): readonly Uint8Array[] {
    const start = encodeSettlement(txHash, NOTHING)
    const end = encodeSettlement(txHash, new Uint8Array(CLAIM_KEY_BYTES).fill(0xff))
    const found = [...this.#settlements.range({ start, end })]
    return found.map(({ key }) => key.slice(CLAIM_HASH_BYTES))
  }

  saleOf(terms: SaleTerms): number {
    const name = saleName(terms)
    const known = this.#saleNumbers.get(name)
    if (known !== undefined) return Buffer.from(known).readUInt32BE(0)
    let number = 0
    for (const { key } of this.#sales.range({ reverse: true, limit: 1 })) {
      number = Buffer.from(key).readUInt32BE(0) + 1
    }
    this.#sales.put(u32(number), encodeSale({ ...terms, ...NOTHING_SOLD }))
    this.#saleNumbers.put(name, u32(number))
    return number
  }

  termsOf(sale: number): Sale {
    const value = this.#sales.get(u32(sale))
    if (value !== undefined) return decodeSale(value)
    throw new LockstepError('STORE_CORRUPTED', `${this.#path} has no sale ${sale}`, {
      data: { path: this.#path },
    })
  }

  count(number: number, change: SaleChange): void {
    const sale = this.termsOf(number)
    sale.payments += change.payments ?? 0
    sale.amount += change.amount ?? 0n
    sale.delivered += change.delivered ?? 0
    sale.refunds += change.refunds ?? 0
    sale.refunded += change.refunded ?? 0n
    this.#sales.put(u32(number), encodeSale(sale))
  }

  describe(chainId: bigint, asset: Hex, unit: TokenUnit): void {
    const key = encodeToken(chainId, asset)
    const value = encodeUnit(unit)
    const known = this.#tokens.get(key)
    if (known === undefined || !equalBytes(known, value)) this.#tokens.put(key, value)
  }

  unit(chainId: bigint, asset: Hex): TokenUnit | undefined {
    const value = this.#tokens.get(encodeToken(chainId, asset))
    return value && decodeUnit(value)
  }

  /** Yields time keys in order. */
  *times(range: RowRange): Generator<Uint8Array, void> {
    for (const { key } of this.#times.range(range)) yield key
  }

  *sales(): Generator<Sale, void> {
    for (const { value } of this.#sales.range({})) yield decodeSale(value)
  }
}
