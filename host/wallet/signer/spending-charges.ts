import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WindowCharge, WindowReads } from '../policy/decision.ts'

/** What wallets have spent against windows of rules. */
export class SpendingCharges {
  readonly #since: StatementSync
  readonly #find: StatementSync
  readonly #put: StatementSync

  constructor(database: DatabaseSync) {
    this.#since = database.prepare(
      'SELECT slot, amount FROM charges WHERE wallet_id = ? AND window = ? AND charged_at > ?',
    )
    this.#find = database.prepare(
      'SELECT amount FROM charges WHERE wallet_id = ? AND window = ? AND slot = ?',
    )
    this.#put = database.prepare(
      `INSERT INTO charges VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
        SET amount = excluded.amount, charged_at = excluded.charged_at`,
    )
  }

  /**
   * @param slot what can be carried out once: not counted, since what is judged would take its place
   * @param now seconds
   */
  reads(walletId: string, slot: string, now: number): WindowReads {
    return {
      spent: (window, period) => {
        let sum = 0n
        for (const row of this.#since.all(walletId, window, now - period)) {
          if (row.slot !== slot) sum += BigInt(row.amount as string)
        }
        return sum
      },
    }
  }

  /** Charges a slot the largest of what was signed for it, from now on. */
  charge(walletId: string, slot: string, now: number, charges: readonly WindowCharge[]): void {
    for (const { window, amount } of charges) {
      const row = this.#find.get(walletId, window, slot)
      const before = row === undefined ? 0n : BigInt(row.amount as string)
      const larger = before > amount ? before : amount
      this.#put.run(walletId, window, slot, now, `${larger}`)
    }
  }
}
