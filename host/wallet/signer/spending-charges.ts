import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentCache } from '../../base/recent-cache.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import type { WindowCharge, WindowReads } from '../policy/decision.ts'

/** Longer than the period of any rule. */
const KEPT_SECONDS = 366 * 86_400

const MOST_CACHED = 10_000

/** Sum of the charges after `after` (seconds). It advances with time: each charge is added once and subtracted once. */
interface RunningSum {
  after: number
  sum: bigint
}

interface Charge {
  readonly at: number
  readonly amount: bigint
}

/** Charges of wallets against windows of rules. */
export class SpendingCharges {
  readonly #between: StatementSync
  readonly #find: StatementSync
  readonly #sql: Statements
  /** By wallet and window, then by period. */
  readonly #sums = new RecentCache<string, Map<number, RunningSum>>(MOST_CACHED)

  constructor(database: DatabaseSync) {
    this.#between = database.prepare(
      'SELECT amount FROM charges WHERE wallet_id = ? AND window = ? AND charged_at > ? AND charged_at <= ?',
    )
    this.#find = database.prepare(
      'SELECT amount, charged_at FROM charges WHERE wallet_id = ? AND window = ? AND slot = ?',
    )
    this.#sql = new Statements(database)
  }

  /** Drops cached sums: after a rollback. */
  forget(): void {
    this.#sums.clear()
  }

  /**
   * Returns reads of windows for evaluating an action.
   * @param slot of the action; its own charge is not counted, as the action would replace it
   * @param now seconds
   */
  reads(walletId: string, slot: string, now: number): WindowReads {
    return {
      spent: (window, period) => {
        const after = now - period
        const sum = this.#sum(walletId, window, period, after)
        const own = this.#charge(walletId, window, slot)
        return own !== undefined && own.at > after ? sum - own.amount : sum
      },
    }
  }

  /** Charges a slot with the largest amount signed for it, starting now. */
  charge(walletId: string, slot: string, now: number, charges: readonly WindowCharge[]): void {
    for (const { window, amount } of charges) {
      const before = this.#charge(walletId, window, slot)
      const larger = before !== undefined && before.amount > amount ? before.amount : amount
      this.#sql.run(
        `INSERT INTO charges VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
          SET amount = excluded.amount, charged_at = excluded.charged_at`,
        walletId,
        window,
        slot,
        now,
        `${larger}`,
      )
      for (const running of this.#sums.get(keyOf(walletId, window))?.values() ?? []) {
        if (before !== undefined && before.at > running.after) running.sum -= before.amount
        // After the clock was set back, a charge may lie before `after`. It would never be subtracted, so it is not
        // added.
        if (now > running.after) running.sum += larger
      }
    }
  }

  /** Deletes charges that no rule counts any more. @param now seconds */
  dropOld(now: number): void {
    this.#sql.run('DELETE FROM charges WHERE charged_at < ?', now - KEPT_SECONDS)
  }

  #sum(walletId: string, window: string, period: number, after: number): bigint {
    const key = keyOf(walletId, window)
    let sums = this.#sums.get(key)
    if (sums === undefined) {
      sums = new Map()
      this.#sums.set(key, sums)
    }
    let running = sums.get(period)
    // After the clock was set back, subtracted charges count again: sum anew.
    if (running === undefined || running.after > after) {
      running = { after, sum: this.#sumBetween(walletId, window, after, Number.MAX_SAFE_INTEGER) }
      sums.set(period, running)
    } else if (running.after < after) {
      running.sum -= this.#sumBetween(walletId, window, running.after, after)
      running.after = after
    }
    return running.sum
  }

  #sumBetween(walletId: string, window: string, after: number, upTo: number): bigint {
    let sum = 0n
    for (const { amount } of this.#between.iterate(walletId, window, after, upTo)) {
      sum += BigInt(amount as string)
    }
    return sum
  }

  #charge(walletId: string, window: string, slot: string): Charge | undefined {
    const row = this.#find.get(walletId, window, slot)
    if (row === undefined) return undefined
    return { at: row.charged_at as number, amount: BigInt(row.amount as string) }
  }
}

function keyOf(walletId: string, window: string): string {
  return `${walletId} ${window}`
}
