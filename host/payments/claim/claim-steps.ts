import { bytesKey } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { type ClaimRow, decodeKey, encodeKey, storedRequest } from './claim-codec.ts'
import type { ClaimOwners, ClaimRows, SaleChange, SaleTerms, StoredClaim } from './claim-rows.ts'
import type { ClaimFacts, ClaimKey, ClaimOutcome, ClaimRecord, LostReason } from './claims.ts'

/** The changes of claims, each inside a transaction. Both stores run these. */
export class ClaimSteps {
  readonly #rows: ClaimRows
  readonly #owners: ClaimOwners
  /** Claims that this store holds. A row it owns that is missing here was claimed by a commit that failed. */
  readonly #working: Set<string>
  readonly #begun: string[] = []

  /** @param working claims that are in progress, by key name: the same set for each transaction of a store */
  constructor(rows: ClaimRows, owners: ClaimOwners, working: Set<string>) {
    this.#rows = rows
    this.#owners = owners
    this.#working = working
  }

  /** Call if the transaction is rolled back: its claims are not in progress. */
  undo(): void {
    for (const name of this.#begun) this.#working.delete(name)
  }

  claim(key: ClaimKey, facts: ClaimFacts, maxAttempts: number, now: number): ClaimOutcome {
    const bytes = encodeKey(key)
    const { body = '0x' } = facts
    const row = this.#rows.row(bytes)
    if (row === undefined) {
      const sale = this.#rows.saleOf(saleTerms(key, facts))
      const made: ClaimRow = {
        phase: 'held',
        isSettled: false,
        owner: this.#owners.own,
        claimedAt: now,
        deliveredAt: undefined,
        sale,
        request: storedRequest(facts.request),
        body,
        attempts: 0,
        payer: facts.payer,
        amount: facts.amount,
        txHash: undefined,
        refund: undefined,
      }
      this.#rows.add(bytes, made)
      if (key.kind === 'transfer') this.#rows.count(sale, paid(made))
      this.#begin(bytes)
      return { won: true, record: claimRecord(key, made, this.#rows.termsOf(sale)) }
    }
    const reason = this.#obstacle(bytes, row, facts, maxAttempts)
    if (reason === 'spent' && row.phase !== 'delivered') this.#deliver(bytes, row, now)
    if (reason !== undefined) return { won: false, reason }
    row.body = body
    row.phase = 'held'
    row.owner = this.#owners.own
    this.#rows.put(bytes, row)
    this.#begin(bytes)
    return { won: true, record: claimRecord(key, row, this.#rows.termsOf(row.sale)) }
  }

  /** Returns why a claim would be lost now, with no limit of attempts. */
  obstacle(key: ClaimKey, facts: ClaimFacts): { readonly obstacle?: LostReason } {
    const bytes = encodeKey(key)
    const row = this.#rows.row(bytes)
    const obstacle = row && this.#obstacle(bytes, row, facts, Number.POSITIVE_INFINITY)
    return obstacle === undefined ? {} : { obstacle }
  }

  settling(key: ClaimKey, txHash: Hex): void {
    const { bytes, row } = this.#held(key)
    if (row.isSettled) return
    row.txHash = txHash
    this.#rows.put(bytes, row)
  }

  settled(key: ClaimKey, txHash: Hex): void {
    const { bytes, row } = this.#held(key)
    if (row.isSettled) return
    row.isSettled = true
    row.txHash = txHash
    this.#rows.put(bytes, row)
    if (key.kind === 'authorization') this.#rows.count(row.sale, paid(row))
  }

  delivered(key: ClaimKey, now: number): void {
    const bytes = encodeKey(key)
    if (this.#rows.row(bytes)?.phase === 'delivered') return
    const { row } = this.#held(key)
    this.#deliver(bytes, row, now)
    this.#working.delete(bytesKey(bytes))
  }

  /** Records the deliveries of an owner that has exited. */
  deliverExited(owner: string, keys: Iterable<Uint8Array>, now: number): void {
    for (const key of keys) {
      const row = this.#rows.row(key)
      if (row?.phase === 'held' && row.owner === owner) this.#deliver(key, row, now)
    }
  }

  failed(key: ClaimKey): void {
    this.#release(key, 1)
  }

  release(key: ClaimKey): void {
    this.#release(key, 0)
  }

  #release(key: ClaimKey, failures: number): void {
    const bytes = encodeKey(key)
    const found = this.#rows.row(bytes)
    if (found === undefined || found.phase === 'released') return
    const { row } = this.#held(key)
    this.#working.delete(bytesKey(bytes))
    if (key.kind === 'authorization' && !row.isSettled && row.txHash === undefined) {
      this.#rows.remove(bytes, row)
      return
    }
    row.attempts += failures
    row.phase = 'released'
    row.owner = undefined
    this.#rows.put(bytes, row)
  }

  /** Deletes claims paid by transactions of removed blocks. Claims held by a live owner stay. */
  removed(chainId: bigint, txHashes: readonly Hex[]): void {
    for (const txHash of txHashes) {
      const settled = this.#rows.settledBy(txHash)
      this.#forget(encodeKey({ chainId, kind: 'transfer', id: txHash }))
      for (const key of settled) if (decodeKey(key).chainId === chainId) this.#forget(key)
    }
  }

  #forget(key: Uint8Array): void {
    const row = this.#rows.row(key)
    if (row === undefined) return
    const isInWork = row.phase === 'held' && this.#endOf(key, row) === undefined
    if (isInWork) return
    this.#rows.remove(key, row)
    const {
      payments = 0,
      amount = 0n,
      delivered = 0,
      refunds = 0,
      refunded = 0n,
    } = totalsOf(decodeKey(key), row)
    this.#rows.count(row.sale, {
      payments: -payments,
      amount: -amount,
      delivered: -delivered,
      refunds: -refunds,
      refunded: -refunded,
    })
  }

  /**
   * Records the refund of a payment.
   * @param raw its signed transaction, if it will be sent after this is on disk
   * @throws NOT_FOUND, REFUSED_ARGUMENT
   */
  refund(key: ClaimKey, txHash: Hex, now: number, raw?: Hex): ClaimRecord {
    const bytes = encodeKey(key)
    const row = this.#rows.row(bytes)
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
    if (raw !== undefined && row.phase === 'held' && this.#endOf(bytes, row) === undefined) {
      throw new LockstepError(
        'REFUSED_ARGUMENT',
        `payment ${key.id} is held by a gate, which may be serving it`,
        {
          hint: 'wait for the response; if the gate was killed, refund by hand and record it with --transaction',
        },
      )
    }
    if (row.refund === undefined) {
      row.refund = { txHash, at: now, ...(raw !== undefined && { raw }) }
      this.#rows.put(bytes, row)
      this.#rows.count(row.sale, { refunds: 1, refunded: row.amount })
    }
    return claimRecord(key, row, this.#rows.termsOf(row.sale))
  }

  /**
   * Records how the transaction of a refund ended: after `failed` there is no refund.
   * @throws NOT_FOUND, REFUSED_ARGUMENT if the payment has no such refund
   */
  endRefund(key: ClaimKey, txHash: Hex, end: 'included' | 'failed'): ClaimRecord {
    const bytes = encodeKey(key)
    const row = this.#rows.row(bytes)
    if (row === undefined) throw unknownClaim(key)
    const { refund } = row
    const isIts = refund?.txHash === txHash && (refund.raw !== undefined || end === 'included')
    if (refund === undefined || !isIts) {
      throw new LockstepError(
        'REFUSED_ARGUMENT',
        `payment ${key.id} has no refund ${txHash} in progress`,
        { hint: 'another command has ended it: look at the payment' },
      )
    }
    if (end === 'included') {
      row.refund = { txHash, at: refund.at }
    } else {
      row.refund = undefined
      this.#rows.count(row.sale, { refunds: -1, refunded: -row.amount })
    }
    this.#rows.put(bytes, row)
    return claimRecord(key, row, this.#rows.termsOf(row.sale))
  }

  /**
   * Adds a claim of another store, unless an earlier move has added it.
   * @returns whether it was added
   * @throws REFUSED_ARGUMENT if the payment was claimed in both
   */
  restore({ key: bytes, row, terms }: StoredClaim): boolean {
    const known = this.#rows.row(bytes)
    if (known !== undefined) {
      const isSame = known.claimedAt === row.claimedAt && known.request === row.request
      if (isSame) return false
      throw new LockstepError(
        'REFUSED_ARGUMENT',
        `payment ${decodeKey(bytes).id} was claimed in both stores, for ${row.request} and ${known.request}`,
        { hint: 'compare the two ledgers: one payment has been served twice' },
      )
    }
    const own = { ...row, sale: this.#rows.saleOf(terms) }
    this.#rows.add(bytes, own)
    this.#rows.count(own.sale, totalsOf(decodeKey(bytes), own))
    return true
  }

  describe(...[chainId, asset, unit]: Parameters<ClaimRows['describe']>): void {
    this.#rows.describe(chainId, asset, unit)
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
    if (row.refund !== undefined) return 'refunded'
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
    this.#rows.put(key, row)
    this.#rows.count(row.sale, { delivered: 1 })
  }

  #held(key: ClaimKey): { readonly bytes: Buffer; readonly row: ClaimRow } {
    const bytes = encodeKey(key)
    const row = this.#rows.row(bytes)
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
}

/** Returns a claim as callers see it. */
export function claimRecord(
  key: ClaimKey,
  row: ClaimRow,
  { resource, asset, payTo }: SaleTerms,
): ClaimRecord {
  const { phase, request, payer, amount, claimedAt, deliveredAt, refund } = row
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

function saleTerms({ chainId }: ClaimKey, { resource, asset, payTo }: ClaimFacts): SaleTerms {
  return { resource, chainId, asset, payTo }
}

function paid({ amount }: ClaimRow): SaleChange {
  return { payments: 1, amount }
}

/** Returns what a claim adds to the totals of its sale. */
function totalsOf(key: Pick<ClaimKey, 'kind'>, row: ClaimRow): SaleChange {
  return {
    ...(isPaid(key, row) && paid(row)),
    ...(row.phase === 'delivered' && { delivered: 1 }),
    ...(row.refund !== undefined && { refunds: 1, refunded: row.amount }),
  }
}

function isPaid({ kind }: Pick<ClaimKey, 'kind'>, { isSettled }: ClaimRow): boolean {
  return kind === 'transfer' || isSettled
}

function unknownClaim({ chainId, kind, id }: ClaimKey): LockstepError {
  return new LockstepError('NOT_FOUND', `there is no claim of ${kind} ${id} on chain ${chainId}`, {
    hint: 'check the hash against the ledger',
  })
}
