import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { type Hex, parseData } from '../../base/hex.ts'
import { type PostgresQuery, RowsChanged } from '../../storage/store/postgres/postgres-session.ts'
import { type ClaimRow, decodeKey, encodeClaim, saleName } from '../claim/claim-codec.ts'
import type { ClaimRows, SaleChange, SaleTerms } from '../claim/claim-rows.ts'
import type { TokenUnit } from '../claim/claims.ts'
import {
  CLAIM_COLUMNS,
  claimRowOf,
  claimValues,
  SELECT_CLAIMS,
  saleTermsOf,
} from './postgres-claim-columns.ts'

/** What a transaction reads and locks before its steps. */
export interface ClaimNeeds {
  readonly keys: readonly Uint8Array[]
  /** Sales that may be created. */
  readonly sales?: readonly SaleTerms[]
  /** Transactions whose authorizations are asked for. */
  readonly settledBy?: readonly Hex[]
}

interface LoadedClaim {
  /** Undefined if it does not exist, or was removed. */
  row: ClaimRow | undefined
  readonly isStored: boolean
  isChanged: boolean
}

interface TokenRow {
  readonly chainId: bigint
  readonly asset: Hex
  readonly unit: TokenUnit
}

/** Totals of a sale are kept in this many parts, so that processes seldom wait for each other's commits. */
export const SALE_PARTS = 16

/**
 * The claims that a transaction may change: read and locked at its beginning, written at its end. In between they are
 * in memory, where the same steps change them as in LMDB.
 */
export class PostgresClaimRows implements ClaimRows {
  readonly #claims = new Map<string, LoadedClaim>()
  readonly #keys = new Map<string, Uint8Array>()
  readonly #terms = new Map<number, SaleTerms>()
  /** Sale numbers by name. */
  readonly #saleNumbers = new Map<string, number>()
  readonly #changes = new Map<number, Required<SaleChange>>()
  readonly #tokens: TokenRow[] = []
  readonly #settledBy = new Map<Hex, Uint8Array[]>()

  /** Reads and locks what the steps need. Keys are locked in their order, so that two processes do not block each other. */
  static async load(query: PostgresQuery, needs: ClaimNeeds): Promise<PostgresClaimRows> {
    const rows = new PostgresClaimRows()
    const { keys, sales = [], settledBy = [] } = needs
    await rows.#loadSales(query, sales)
    const wanted = new Map(keys.map((key) => [bytesKey(key), Buffer.from(key)]))
    const found = await query(
      `${SELECT_CLAIMS} where c.key = any($1) ${
        settledBy.length === 0 ? '' : 'or (c.is_settled and c.tx_hash = any($2))'
      } order by c.key for update of c`,
      [
        [...wanted.values()],
        ...(settledBy.length === 0 ? [] : [settledBy.map((hash) => Buffer.from(parseData(hash)))]),
      ],
    )
    for (const [name, key] of wanted) rows.#set(name, key, undefined, false)
    for (const each of found) {
      const key = Buffer.from(each.key as Uint8Array)
      const row = claimRowOf(each)
      rows.#set(bytesKey(key), key, row, true)
      rows.#terms.set(row.sale, saleTermsOf(each))
      if (!row.isSettled || row.txHash === undefined) continue
      const list = rows.#settledBy.get(row.txHash) ?? []
      rows.#settledBy.set(row.txHash, [...list, key])
    }
    return rows
  }

  /** Owners of the held claims. */
  owners(): ReadonlySet<string> {
    const owners = [...this.#claims.values()].map(({ row }) => row?.owner)
    return new Set(owners.filter((owner) => owner !== undefined))
  }

  row(key: Uint8Array): ClaimRow | undefined {
    const { row } = this.#loaded(key)
    return row && { ...row }
  }

  add(key: Uint8Array, row: ClaimRow): void {
    this.put(key, row)
  }

  put(key: Uint8Array, row: ClaimRow): void {
    // Refuses what LMDB refuses
    encodeClaim(row)
    const loaded = this.#loaded(key)
    loaded.row = { ...row }
    loaded.isChanged = true
  }

  remove(key: Uint8Array): void {
    const loaded = this.#loaded(key)
    loaded.row = undefined
    loaded.isChanged = true
  }

  settledBy(txHash: Hex): readonly Uint8Array[] {
    return this.#settledBy.get(txHash) ?? []
  }

  saleOf(terms: SaleTerms): number {
    return this.#saleNumbers.get(bytesKey(saleName(terms))) as number
  }

  termsOf(sale: number): SaleTerms {
    return this.#terms.get(sale) as SaleTerms
  }

  count(sale: number, change: SaleChange): void {
    const known = this.#changes.get(sale)
    this.#changes.set(sale, {
      payments: (known?.payments ?? 0) + (change.payments ?? 0),
      amount: (known?.amount ?? 0n) + (change.amount ?? 0n),
      delivered: (known?.delivered ?? 0) + (change.delivered ?? 0),
      refunds: (known?.refunds ?? 0) + (change.refunds ?? 0),
      refunded: (known?.refunded ?? 0n) + (change.refunded ?? 0n),
    })
  }

  describe(chainId: bigint, asset: Hex, unit: TokenUnit): void {
    this.#tokens.push({ chainId, asset, unit })
  }

  /**
   * Writes what the steps have changed.
   * @param part which part of the totals is changed
   * @throws RowsChanged if another process has added one of the claims meanwhile
   */
  async write(query: PostgresQuery, part: number): Promise<void> {
    const changed = [...this.#claims].filter(([, { isChanged }]) => isChanged)
    const ordered = changed
      .map(([name, loaded]) => ({ ...loaded, key: this.#keys.get(name) as Uint8Array }))
      .sort((a, b) => Buffer.compare(a.key, b.key))
    const kept = ordered.flatMap(({ key, row, isStored }) =>
      row === undefined ? [] : [{ key, row, isStored }],
    )
    const removed = ordered.filter(({ row, isStored }) => row === undefined && isStored)
    await update(
      query,
      kept.filter(({ isStored }) => isStored),
    )
    await remove(
      query,
      removed.map(({ key }) => key),
    )
    await insert(
      query,
      kept.filter(({ isStored }) => !isStored),
    )
    await this.#writeTokens(query)
    await this.#writeTotals(query, part)
  }

  #set(name: string, key: Uint8Array, row: ClaimRow | undefined, isStored: boolean): void {
    this.#keys.set(name, key)
    this.#claims.set(name, { row, isStored, isChanged: false })
  }

  #loaded(key: Uint8Array): LoadedClaim {
    const loaded = this.#claims.get(bytesKey(key))
    if (loaded !== undefined) return loaded
    const { id } = decodeKey(key)
    throw new LockstepError('NOT_FOUND', `the claim of ${id} was not read in this transaction`)
  }

  async #loadSales(query: PostgresQuery, sales: readonly SaleTerms[]): Promise<void> {
    const byName = new Map(sales.map((terms) => [bytesKey(saleName(terms)), terms]))
    if (byName.size === 0) return
    const names = [...byName.values()].map((terms) => saleName(terms))
    const find = () => query('select * from lockstep_payments.sales where name = any($1)', [names])
    let found = await find()
    if (found.length < byName.size) {
      const all = [...byName.values()]
      await query(
        `insert into lockstep_payments.sales (name, resource, chain_id, asset, pay_to)
         select * from unnest($1::bytea[], $2::text[], $3::numeric[], $4::bytea[], $5::bytea[])
         order by 1 on conflict (name) do nothing`,
        [
          names,
          all.map(({ resource }) => resource),
          all.map(({ chainId }) => chainId),
          all.map(({ asset }) => Buffer.from(parseData(asset))),
          all.map(({ payTo }) => Buffer.from(parseData(payTo))),
        ],
      )
      found = await find()
    }
    for (const row of found) {
      this.#saleNumbers.set(bytesKey(Buffer.from(row.name as Uint8Array)), row.number as number)
      this.#terms.set(row.number as number, saleTermsOf(row))
    }
  }

  async #writeTokens(query: PostgresQuery): Promise<void> {
    for (const { chainId, asset, unit } of this.#tokens) {
      await query(
        `insert into lockstep_payments.tokens (chain_id, asset, symbol, decimals) values ($1, $2, $3, $4)
         on conflict (chain_id, asset) do update set symbol = excluded.symbol, decimals = excluded.decimals`,
        [chainId, Buffer.from(parseData(asset)), unit.symbol.replaceAll('\0', ''), unit.decimals],
      )
    }
  }

  async #writeTotals(query: PostgresQuery, part: number): Promise<void> {
    if (this.#changes.size === 0) return
    const all = [...this.#changes].sort(([a], [b]) => a - b)
    await query(
      `insert into lockstep_payments.sale_totals as total
         (sale, part, payments, amount, delivered, refunds, refunded)
       select sale, $2, payments, amount, delivered, refunds, refunded from
         unnest($1::integer[], $3::bigint[], $4::numeric[], $5::bigint[], $6::bigint[], $7::numeric[])
         as change (sale, payments, amount, delivered, refunds, refunded) order by sale
       on conflict (sale, part) do update set
         payments = total.payments + excluded.payments,
         amount = total.amount + excluded.amount,
         delivered = total.delivered + excluded.delivered,
         refunds = total.refunds + excluded.refunds,
         refunded = total.refunded + excluded.refunded`,
      [
        all.map(([sale]) => sale),
        part,
        all.map(([, { payments }]) => payments),
        all.map(([, { amount }]) => amount),
        all.map(([, { delivered }]) => delivered),
        all.map(([, { refunds }]) => refunds),
        all.map(([, { refunded }]) => refunded),
      ],
    )
  }
}

interface KeyedRow {
  readonly key: Uint8Array
  readonly row: ClaimRow
}

const NAMES = Object.keys(CLAIM_COLUMNS) as (keyof typeof CLAIM_COLUMNS)[]
const ARRAYS = Object.values(CLAIM_COLUMNS).map((type, index) => `$${index + 1}::${type}[]`)

function columnsOf(rows: readonly KeyedRow[]): unknown[] {
  const values = rows.map(({ key, row }) => claimValues(key, row))
  return NAMES.map((name) => values.map((value) => value[name]))
}

async function update(query: PostgresQuery, rows: readonly KeyedRow[]): Promise<void> {
  if (rows.length === 0) return
  const sets = NAMES.filter((name) => name !== 'key').map((name) => `${name} = new.${name}`)
  await query(
    `update lockstep_payments.claims c set ${sets.join(', ')}
     from unnest(${ARRAYS.join(', ')}) as new (${NAMES.join(', ')}) where c.key = new.key`,
    columnsOf(rows),
  )
}

async function insert(query: PostgresQuery, rows: readonly KeyedRow[]): Promise<void> {
  if (rows.length === 0) return
  const added = await query(
    `insert into lockstep_payments.claims (${NAMES.join(', ')})
     select * from unnest(${ARRAYS.join(', ')}) on conflict (key) do nothing returning key`,
    columnsOf(rows),
  )
  if (added.length < rows.length) throw new RowsChanged()
}

async function remove(query: PostgresQuery, keys: readonly Uint8Array[]): Promise<void> {
  if (keys.length === 0) return
  await query('delete from lockstep_payments.claims where key = any($1)', [
    keys.map((key) => Buffer.from(key)),
  ])
}
