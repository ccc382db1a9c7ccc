import { bytesKey } from '../../../base/bytes.ts'
import { TRANSACTION_GAS } from '../../../evm/chain-types/generated/gas.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'

/** Gas for its code below which nobody looks at a transaction's time: a transfer, or little more. */
const LEAST_GAS = 50_000n

/** Calls whose times are kept; the one that came first is given up for another. */
const MOST_CALLS = 4096

/** Milliseconds of the last two runs. */
interface Times {
  last: number
  before: number
}

/**
 * How long transactions take, by the contract and the function that they call: what one took is the best guess for the
 * next. Gas says little of it: a write to storage has the gas of a thousand hashes.
 */
export class TransactionTimes {
  readonly #times = new Map<string, Times>()

  /**
   * Milliseconds that a transaction will take most likely: the less of the last two such, one of which may have waited for a
   * processor; 0 where they are not known, or it can be but a light one.
   */
  expected(transaction: Transaction): number {
    const call = callOf(transaction)
    const times = call === undefined ? undefined : this.#times.get(call)
    return times === undefined ? 0 : Math.min(times.last, times.before)
  }

  /** Takes what a transaction took. @returns what is expected of the next such one */
  note(transaction: Transaction, milliseconds: number): number {
    const call = callOf(transaction)
    if (call === undefined) return 0
    const times = this.#times.get(call)
    if (times === undefined) {
      this.#keep(call, { last: milliseconds, before: 0 })
      return 0
    }
    times.before = times.last
    times.last = milliseconds
    return Math.min(times.last, times.before)
  }

  #keep(call: string, times: Times): void {
    this.#times.set(call, times)
    if (this.#times.size <= MOST_CALLS) return
    const [first] = this.#times.keys()
    if (first !== undefined) this.#times.delete(first)
  }
}

/** Address and selector; undefined for what creates a contract, which never runs ahead, and for light ones. */
function callOf({ gas, to, data }: Transaction): string | undefined {
  if (to === undefined || gas - TRANSACTION_GAS < LEAST_GAS) return undefined
  return bytesKey(to) + bytesKey(data.subarray(0, 4))
}
