import { bytesKey } from '../../../base/bytes.ts'
import { TRANSACTION_GAS } from '../../../evm/chain-types/generated/gas.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'

/** Gas for code below which a transaction is not timed: a transfer, or little more. */
const LEAST_GAS = 50_000n

/** Capacity in calls; the oldest entry is evicted first. */
const MOST_CALLS = 4096

/** Milliseconds of the last two runs. */
interface Times {
  last: number
  before: number
}

/**
 * Execution times by contract and function selector; the last times predict the next one. Gas is a poor predictor:
 * one storage write has the gas of a thousand hashes.
 */
export class TransactionTimes {
  readonly #times = new Map<string, Times>()

  /**
   * Returns the expected milliseconds of a transaction: the lower of the last two times of its call, since one of
   * them may include waiting for a CPU. 0 if fewer than two are known or the transaction is light.
   */
  expected(transaction: Transaction): number {
    const call = callOf(transaction)
    const times = call === undefined ? undefined : this.#times.get(call)
    return times === undefined ? 0 : Math.min(times.last, times.before)
  }

  /**
   * Records the time of a transaction.
   * @returns the expected milliseconds of the next such transaction
   */
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

/** Returns address and selector as a key; undefined for light transactions and contract creations. */
function callOf({ gas, to, data }: Transaction): string | undefined {
  if (to === undefined || gas - TRANSACTION_GAS < LEAST_GAS) return undefined
  return bytesKey(to) + bytesKey(data.subarray(0, 4))
}
