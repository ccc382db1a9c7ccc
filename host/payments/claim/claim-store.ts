import { bytesKey, equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import {
  checkFreeSpace,
  LmdbEnv,
  type LmdbTable,
  type RowRange,
} from '../../storage/store/lmdb/lmdb-env.ts'
import { WriteLock } from '../../storage/store/sqlite/write-lock.ts'
import {
  CLAIM_HASH_BYTES,
  CLAIM_KEY_BYTES,
  type ClaimRow,
  decodeClaim,
  decodeKey,
  decodeSale,
  decodeUnit,
  encodeClaim,
  encodeKey,
  encodeSale,
  encodeSettlement,
  encodeTimeKey,
  encodeToken,
  encodeUnit,
  NOTHING_SOLD,
  type Sale,
  saleName,
  storedRequest,
  TIME_BYTES,
} from './claim-codec.ts'
import type {
  ClaimFacts,
  ClaimKey,
  ClaimOutcome,
  ClaimRecord,
  LostReason,
  TokenUnit,
} from './claims.ts'

/** Minimum free disk space: a commit of a thousand claims takes a few megabytes. */
const DISK_RESERVE = 8 * 2 ** 20

const NOTHING = new Uint8Array(0)

/** The owner of this store, and which other owners have exited. */
export interface ClaimOwners {
  /** Lower-case hex. */
  readonly own: string
  /** Deliveries of an owner that has exited, by key name; undefined if the owner is alive. */
  deliveriesOfExited(owner: string): ReadonlyMap<string, Uint8Array> | undefined
}

/** A change of one claim, run inside `ClaimStore.write`. */
export type ClaimStep<T> = (store: ClaimSteps) => T

export type ClaimSteps = Pick<
  ClaimStore,
  | 'claim'
  | 'obstacle'
  | 'settling'
  | 'settled'
  | 'delivered'
  | 'release'
  | 'failed'
  | 'removed'
  | 'refund'
  | 'describe'
  | 'deliverExited'
>

function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Stores claims, their times and sales in one database, shared by all that open the folder. */
export class ClaimStore {
  readonly #lock: WriteLock
  readonly #env: LmdbEnv
  readonly #owners: ClaimOwners
  readonly #claims: LmdbTable
  /** Claim keys, prefixed by their times. */
  readonly #times: LmdbTable
  readonly #sales: LmdbTable
  /** Sale numbers by name. */
  readonly #saleNumbers: LmdbTable
  /** Transactions of settled authorizations, each with its claim key. */
  readonly #settlements: LmdbTable
  readonly #tokens: LmdbTable
  /** Claims that this store holds. A row it owns that is missing here was claimed by a commit that failed. */
  readonly #working = new Set<string>()
  #begun: string[] = []

  /** @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL */
  constructor(dir: string, owners: ClaimOwners, isShared: boolean) {
    this.#owners = owners
    this.#lock = new WriteLock(`${dir}.lock`)
    try {
      this.#env = this.#lock.hold(() => new LmdbEnv(dir, { isShared }))
      this.#claims = this.#env.table('claims')
      this.#times = this.#env.table('claim-times')
      this.#sales = this.#env.table('sales')
      this.#saleNumbers = this.#env.table('sale-numbers')
      this.#settlements = this.#env.table('settlements')
      this.#tokens = this.#env.table('tokens')
    } catch (thrown) {
      this.#lock.close()
      throw thrown
    }
  }

  /**
   * Runs `work` as one transaction: it is on disk when this returns, and rolled back if it throws.
   * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL
   */
  write<T>(work: (steps: ClaimSteps) => T): T {
    checkFreeSpace(this.#env.dir, DISK_RESERVE)
    this.#begun = []
    try {
      return this.#lock.hold(() => this.#env.write(() => work(this)))
    } catch (thrown) {
      for (const name of this.#begun) this.#working.delete(name)
      throw thrown
    }
  }

  claim(key: ClaimKey, facts: ClaimFacts, maxAttempts: number, now: number): ClaimOutcome {
    const bytes = encodeKey(key)
    const request = storedRequest(facts.request)
    const { body = '0x' } = facts
    const row = this.#row(bytes)
    if (row === undefined) {
      const sale = this.#saleOf(key, facts)
      const made: ClaimRow = {
        phase: 'held',
        isSettled: false,
        owner: this.#owners.own,
        claimedAt: now,
        deliveredAt: undefined,
        sale,
        request,
        body,
        attempts: 0,
        payer: facts.payer,
        amount: facts.amount,
        txHash: undefined,
        refund: undefined,
      }
      if (key.kind === 'transfer') this.#count(sale, (found) => pay(found, facts.amount))
      this.#claims.put(bytes, encodeClaim(made))
      this.#times.put(encodeTimeKey(now, bytes), NOTHING)
      this.#begin(bytes)
      return { won: true, record: this.#record(key, made) }
    }
    const reason = this.#obstacle(bytes, row, facts, maxAttempts)
    if (reason === 'spent' && row.phase !== 'delivered') this.#deliver(bytes, row, now)
    if (reason !== undefined) return { won: false, reason }
    row.body = body
    row.phase = 'held'
    row.owner = this.#owners.own
    this.#claims.put(bytes, encodeClaim(row))
    this.#begin(bytes)
    return { won: true, record: this.#record(key, row) }
  }

  /** Returns why a claim would be lost now, with no limit of attempts. */
  obstacle(key: ClaimKey, facts: ClaimFacts): { readonly obstacle?: LostReason } {
    const bytes = encodeKey(key)
    const row = this.#row(bytes)
    const obstacle = row && this.#obstacle(bytes, row, facts, Number.POSITIVE_INFINITY)
    return obstacle === undefined ? {} : { obstacle }
  }

  settling(key: ClaimKey, txHash: Hex): void {
    const { bytes, row } = this.#held(key)
    if (row.isSettled) return
    row.txHash = txHash
    this.#claims.put(bytes, encodeClaim(row))
  }

  settled(key: ClaimKey, txHash: Hex): void {
    const { bytes, row } = this.#held(key)
    if (row.isSettled) return
    row.isSettled = true
    row.txHash = txHash
    if (key.kind === 'authorization') this.#count(row.sale, (sale) => pay(sale, row.amount))
    this.#settlements.put(encodeSettlement(txHash, bytes), NOTHING)
    this.#claims.put(bytes, encodeClaim(row))
  }

  delivered(key: ClaimKey, now: number): void {
    const bytes = encodeKey(key)
    if (this.#row(bytes)?.phase === 'delivered') return
    const { row } = this.#held(key)
    this.#deliver(bytes, row, now)
    this.#working.delete(bytesKey(bytes))
  }

  /** Records the deliveries of an owner that has exited. */
  deliverExited(owner: string, keys: Iterable<Uint8Array>, now: number): void {
    for (const key of keys) {
      const row = this.#row(key)
      if (row?.phase === 'held' && row.owner === owner) this.#deliver(key, row, now)
    }
  }

  failed(key: ClaimKey): void {
    const bytes = encodeKey(key)
    const found = this.#row(bytes)
    if (found === undefined || found.phase === 'released') return
    const { row } = this.#held(key)
    row.attempts++
    this.#claims.put(bytes, encodeClaim(row))
    this.release(key)
  }

  release(key: ClaimKey): void {
    const bytes = encodeKey(key)
    const found = this.#row(bytes)
    if (found === undefined || found.phase === 'released') return
    const { row } = this.#held(key)
    this.#working.delete(bytesKey(bytes))
    if (key.kind === 'authorization' && !row.isSettled && row.txHash === undefined) {
      this.#claims.remove(bytes)
      this.#times.remove(encodeTimeKey(row.claimedAt, bytes))
      return
    }
    row.phase = 'released'
    row.owner = undefined
    this.#claims.put(bytes, encodeClaim(row))
  }

  /** Deletes claims paid by transactions of removed blocks. Claims held by a live owner stay. */
  removed(chainId: bigint, txHashes: readonly Hex[]): void {
    for (const txHash of txHashes) {
      const keys = [encodeKey({ chainId, kind: 'transfer', id: txHash })]
      for (const { key } of this.settledBy(txHash)) {
        if (key.chainId === chainId) keys.push(encodeKey(key))
      }
      for (const key of keys) this.#forget(key)
    }
  }

  #forget(key: Uint8Array): void {
    const row = this.#row(key)
    if (row === undefined) return
    const isInWork = row.phase === 'held' && this.#endOf(key, row) === undefined
    if (isInWork) return
    const { kind } = decodeKey(key)
    if (isPaid({ kind }, row)) {
      this.#count(row.sale, (sale) => {
        sale.payments--
        sale.amount -= row.amount
        if (row.phase === 'delivered') sale.delivered--
        if (row.refund === undefined) return
        sale.refunds--
        sale.refunded -= row.amount
      })
    }
    this.#claims.remove(key)
    this.#times.remove(encodeTimeKey(row.claimedAt, key))
    if (row.isSettled && row.txHash !== undefined) {
      this.#settlements.remove(encodeSettlement(row.txHash, key))
    }
  }

  /** Records the refund of a payment. @throws NOT_FOUND, REFUSED_ARGUMENT */
  refund(key: ClaimKey, txHash: Hex, now: number): ClaimRecord {
    const bytes = encodeKey(key)
    const row = this.#row(bytes)
    if (row === undefined) throw unknownClaim(key)
    if (!isPaid(key, row)) {
      throw new LockstepError(
        'REFUSED_ARGUMENT',
        `${key.id} is an authorization that was not settled: there is nothing to refund`,
      )
    }
    if (row.refund !== undefined && row.refund.txHash !== txHash) {
      throw new LockstepError(
        'REFUSED_ARGUMENT',
        `payment ${key.id} has a refund already: ${row.refund.txHash}`,
        { hint: 'a payment has one refund: check the recorded one' },
      )
    }
    if (row.refund === undefined) {
      row.refund = { txHash, at: now }
      this.#count(row.sale, (sale) => {
        sale.refunds++
        sale.refunded += row.amount
      })
      this.#claims.put(bytes, encodeClaim(row))
    }
    return this.#record(key, row)
  }

  /** Returns the claim of a key. */
  find(key: ClaimKey): ClaimRecord | undefined {
    const row = this.#row(encodeKey(key))
    return row && this.#record(key, row)
  }

  /** Yields claims by time, each with its time key; `start` and `end` of the range are time keys. */
  *records(range: RowRange): Generator<readonly [Uint8Array, ClaimRecord], void> {
    for (const { key: time } of this.#times.range(range)) {
      const bytes = time.subarray(TIME_BYTES)
      const row = this.#row(bytes)
      if (row !== undefined) yield [time, this.#record(decodeKey(bytes), row)]
    }
  }

  /** Yields the authorizations that a transaction settled. */
  *settledBy(txHash: Hex): Generator<ClaimRecord, void> {
    const start = encodeSettlement(txHash, NOTHING)
    const end = encodeSettlement(txHash, new Uint8Array(CLAIM_KEY_BYTES).fill(0xff))
    for (const { key: bytes } of this.#settlements.range({ start, end })) {
      const key = decodeKey(bytes.subarray(CLAIM_HASH_BYTES))
      const record = this.find(key)
      if (record !== undefined) yield record
    }
  }

  unit(chainId: bigint, asset: Hex): TokenUnit | undefined {
    const value = this.#tokens.get(encodeToken(chainId, asset))
    return value && decodeUnit(value)
  }

  describe(chainId: bigint, asset: Hex, unit: TokenUnit): void {
    const key = encodeToken(chainId, asset)
    const value = encodeUnit(unit)
    const known = this.#tokens.get(key)
    if (known === undefined || !equalBytes(known, value)) this.#tokens.put(key, value)
  }

  *sales(): Generator<Sale, void> {
    for (const { value } of this.#sales.range({})) yield decodeSale(value)
  }

  /** Makes writes of other threads and processes visible to reads. */
  refresh(): void {
    this.#env.refresh()
  }

  async close(): Promise<void> {
    await this.#lock.closeWith(() => this.#env.close())
  }

  #row(key: Uint8Array): ClaimRow | undefined {
    const value = this.#claims.get(key)
    return value && decodeClaim(value)
  }

  #begin(key: Uint8Array): void {
    const name = bytesKey(key)
    this.#working.add(name)
    this.#begun.push(name)
  }

  #obstacle(
    key: Uint8Array,
    row: ClaimRow,
    { request, body = '0x' }: ClaimFacts,
    maxAttempts: number,
  ): LostReason | undefined {
    if (row.phase === 'delivered') return 'spent'
    if (row.phase === 'held') {
      const end = this.#endOf(key, row)
      if (end === 'delivered') return 'spent'
      if (end === undefined) return 'in progress'
    }
    const isIts = row.request === storedRequest(request) && (row.body ?? body) === body
    if (!isIts) return 'other request'
    return row.attempts >= maxAttempts ? 'exhausted' : undefined
  }

  /** Returns how a claim ended that its owner no longer works on; undefined if the owner still does. */
  #endOf(key: Uint8Array, { owner = '' }: ClaimRow): 'left' | 'delivered' | undefined {
    const name = bytesKey(key)
    if (owner === this.#owners.own) return this.#working.has(name) ? undefined : 'left'
    const deliveries = this.#owners.deliveriesOfExited(owner)
    if (deliveries === undefined) return undefined
    return deliveries.has(name) ? 'delivered' : 'left'
  }

  #deliver(key: Uint8Array, row: ClaimRow, now: number): void {
    row.phase = 'delivered'
    row.owner = undefined
    row.deliveredAt = now
    this.#count(row.sale, (sale) => {
      sale.delivered++
    })
    this.#claims.put(key, encodeClaim(row))
  }

  #held(key: ClaimKey): { readonly bytes: Buffer; readonly row: ClaimRow } {
    const bytes = encodeKey(key)
    const row = this.#row(bytes)
    if (row === undefined) throw unknownClaim(key)
    if (row.phase !== 'held' || row.owner !== this.#owners.own) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `the claim of ${key.id} is ${row.phase}, and not held by this process, which had won it`,
        { hint: 'give each server a folder that only Lockstep servers write to' },
      )
    }
    return { bytes, row }
  }

  #record(key: ClaimKey, row: ClaimRow): ClaimRecord {
    const { phase, request, payer, amount, claimedAt, deliveredAt, refund } = row
    const { resource, asset, payTo } = this.#sale(row.sale)
    const txHash = key.kind === 'transfer' ? key.id : row.txHash
    return {
      key,
      state: phase === 'held' ? (row.isSettled ? 'settled' : 'claimed') : phase,
      isPaid: isPaid(key, row),
      resource,
      request,
      payer,
      payTo,
      asset,
      amount,
      claimedAt,
      ...(txHash !== undefined && { txHash }),
      ...(deliveredAt !== undefined && { deliveredAt }),
      ...(refund !== undefined && { refund }),
    }
  }

  #sale(number: number): Sale {
    const value = this.#sales.get(u32(number))
    if (value !== undefined) return decodeSale(value)
    throw new LockstepError('STORE_CORRUPTED', `${this.#env.dir} has no sale ${number}`, {
      data: { path: this.#env.dir },
    })
  }

  #saleOf({ chainId }: ClaimKey, { resource, asset, payTo }: ClaimFacts): number {
    const terms = { resource, chainId, asset, payTo }
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

  #count(number: number, change: (sale: Sale) => void): void {
    const sale = this.#sale(number)
    change(sale)
    this.#sales.put(u32(number), encodeSale(sale))
  }
}

function pay(sale: Sale, amount: bigint): void {
  sale.payments++
  sale.amount += amount
}

function isPaid({ kind }: Pick<ClaimKey, 'kind'>, { isSettled }: ClaimRow): boolean {
  return kind === 'transfer' || isSettled
}

function unknownClaim({ chainId, kind, id }: ClaimKey): LockstepError {
  return new LockstepError('NOT_FOUND', `there is no claim of ${kind} ${id} on chain ${chainId}`, {
    hint: 'check the hash against the ledger',
  })
}
