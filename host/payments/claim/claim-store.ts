import type { Hex } from '../../base/hex.ts'
import { checkFreeSpace, LmdbEnv, type RowRange } from '../../storage/store/lmdb/lmdb-env.ts'
import { WriteLock } from '../../storage/store/sqlite/write-lock.ts'
import { decodeKey, encodeKey, type Sale, TIME_BYTES } from './claim-codec.ts'
import type { ClaimOwners, StoredClaim } from './claim-rows.ts'
import { ClaimSteps, claimRecord } from './claim-steps.ts'
import type { ClaimKey, ClaimRecord, TokenUnit } from './claims.ts'
import { LmdbClaimRows } from './lmdb-claim-rows.ts'

/** Minimum free disk space: a commit of a thousand claims takes a few megabytes. */
const DISK_RESERVE = 8 * 2 ** 20

/** Stores claims, their times and sales in one LMDB database, shared by all that open the folder. */
export class ClaimStore {
  readonly #lock: WriteLock
  readonly #env: LmdbEnv
  readonly #owners: ClaimOwners
  readonly #rows: LmdbClaimRows
  readonly #working = new Set<string>()

  /** @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL */
  constructor(dir: string, owners: ClaimOwners, isShared: boolean) {
    this.#owners = owners
    this.#lock = new WriteLock(`${dir}.lock`)
    try {
      this.#env = this.#lock.hold(() => new LmdbEnv(dir, { isShared }))
      this.#rows = new LmdbClaimRows(this.#env)
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
    const steps = new ClaimSteps(this.#rows, this.#owners, this.#working)
    try {
      return this.#lock.hold(() => this.#env.write(() => work(steps)))
    } catch (thrown) {
      steps.undo()
      throw thrown
    }
  }

  /** Returns the claim of a key. */
  find(key: ClaimKey): ClaimRecord | undefined {
    const row = this.#rows.row(encodeKey(key))
    return row && claimRecord(key, row, this.#rows.termsOf(row.sale))
  }

  /** Yields claims by time, each with its time key; `start` and `end` of the range are time keys. */
  *records(range: RowRange): Generator<readonly [Uint8Array, ClaimRecord], void> {
    for (const time of this.#rows.times(range)) {
      const record = this.find(decodeKey(time.subarray(TIME_BYTES)))
      if (record !== undefined) yield [time, record]
    }
  }

  /** Yields the authorizations that a transaction settled. */
  *settledBy(txHash: Hex): Generator<ClaimRecord, void> {
    for (const key of this.#rows.settledBy(txHash)) {
      const record = this.find(decodeKey(key))
      if (record !== undefined) yield record
    }
  }

  unit(chainId: bigint, asset: Hex): TokenUnit | undefined {
    return this.#rows.unit(chainId, asset)
  }

  sales(): Generator<Sale, void> {
    return this.#rows.sales()
  }

  /** Yields the claims as they are stored, by time. */
  *stored(): Generator<StoredClaim, void> {
    for (const time of this.#rows.times({})) {
      const key = time.subarray(TIME_BYTES)
      const row = this.#rows.row(key)
      if (row !== undefined) yield { key, row, terms: this.#rows.termsOf(row.sale) }
    }
  }

  /** Makes writes of other threads and processes visible to reads. */
  refresh(): void {
    this.#env.refresh()
  }

  async close(): Promise<void> {
    await this.#lock.closeWith(() => this.#env.close())
  }
}
