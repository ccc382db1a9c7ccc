import { bytesKey } from '../../../base/bytes.ts'
import { isImpersonated } from '../../chain-types/impersonation.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { JobBoard } from './job-board.ts'

/** Speculative results of other engines for a block's transactions. */
export interface SpeculativeResults {
  /**
   * Returns the read/write set (`Engine.footprint`) of a transaction that the block has reached; undefined if the
   * block must execute it.
   */
  take(transaction: Transaction): Uint8Array | undefined
  /** Reports if the last set taken was applied, or did not fit the block's state. */
  report(isAdopted: boolean): void
  /** Reports that the block executed the transaction it last asked for. */
  ran(transaction: Transaction): void
}

/** Transactions of one sender, executed in order. */
export type Job = readonly Transaction[]

/** Minimum mean time of a job's transactions in milliseconds. Below it, applying costs as much as executing. */
export const LEAST_MS = 0.03

/** Distribution of a block's jobs. */
export interface JobPlan {
  /** Number of transactions of each job. */
  readonly sizes: readonly number[]
  /** Index in the block of each transaction, counted through all jobs in order. */
  readonly positions: readonly number[]
  /** Job range (end exclusive) of each share: the block's own first, then each runner's. */
  readonly shares: readonly (readonly [from: number, to: number])[]
}

/** The transactions of a block that may be executed speculatively. */
export interface PlannedJobs {
  /** In the order of their first transactions. */
  readonly jobs: readonly Job[]
  readonly plan: JobPlan
}

interface SenderTransactions {
  readonly transactions: Transaction[]
  readonly positions: number[]
  milliseconds: number
}

/** Plans the jobs of a block for this many runners. `expected` estimates the milliseconds of a transaction. */
export function planJobs(
  transactions: Iterable<Transaction>,
  runners: number,
  expected: (transaction: Transaction) => number,
): PlannedJobs {
  const bySender = new Map<string, SenderTransactions>()
  let position = 0
  for (const transaction of transactions) {
    const sender = bytesKey(transaction.from)
    const job = bySender.get(sender) ?? { transactions: [], positions: [], milliseconds: 0 }
    bySender.set(sender, job)
    if (!isImpersonated(transaction)) {
      job.transactions.push(transaction)
      job.positions.push(position)
      job.milliseconds += expected(transaction)
    }
    position++
  }
  const kept = [...bySender.values()].filter(
    ({ transactions, milliseconds }) => milliseconds >= LEAST_MS * Math.max(transactions.length, 1),
  )
  const jobs = kept.map((job) => job.transactions)
  const sizes = jobs.map(({ length }) => length)
  const positions = kept.flatMap((job) => job.positions)
  const times = kept.map((job) => job.milliseconds)
  return { jobs, plan: { sizes, positions, shares: shareOut(times, runners + 1) } }
}

/** Splits the jobs into consecutive shares of about equal time. */
function shareOut(times: readonly number[], count: number): [from: number, to: number][] {
  const whole = times.reduce((sum, one) => sum + one, 0)
  const shares: [number, number][] = []
  let from = 0
  let sum = 0
  for (let share = 1; share <= count; share++) {
    let to = from
    while (to < times.length && (share === count || sum < (whole * share) / count)) {
      sum += times[to++] as number
    }
    shares.push([from, to])
    from = to
  }
  return shares
}

/** Returns the read/write set that a runner stored at an address. */
export type ReadWriteSetSource = (
  runner: number,
  place: number,
  index: number,
) => Uint8Array | undefined

/** Index of a transaction through all jobs, and its job. */
interface JobIndex {
  readonly index: number
  readonly job: number
}

/** The jobs of one block, used by the block's thread. */
export class BlockJobs implements Omit<SpeculativeResults, 'ran'> {
  readonly #board: JobBoard
  readonly #source: ReadWriteSetSource
  readonly #places = new Map<Transaction, JobIndex>()
  /**
   * For each job, the only transaction that may be applied next. If an earlier one was not applied, or did not fit
   * the block's gas, the later ones read a state that never existed.
   */
  readonly #next: number[] = []
  #taken = 0
  #adopted = 0
  /** The transaction whose read/write set was taken last. */
  #last: JobIndex = { index: 0, job: 0 }

  constructor(jobs: readonly Job[], board: JobBoard, source: ReadWriteSetSource) {
    this.#board = board
    this.#source = source
    let index = 0
    for (const [job, transactions] of jobs.entries()) {
      this.#next.push(index)
      for (const transaction of transactions) this.#places.set(transaction, { index: index++, job })
    }
  }

  /** Number of read/write sets that were ready in time. */
  get taken(): number {
    return this.#taken
  }

  get applied(): number {
    return this.#adopted
  }

  take(transaction: Transaction): Uint8Array | undefined {
    const place = this.#places.get(transaction)
    if (place === undefined) return undefined
    const footprint = this.#footprint(place.index, place.job)
    if (footprint === undefined) {
      this.#board.takeBack(place.job)
      return undefined
    }
    this.#taken++
    this.#last = place
    return footprint
  }

  report(isAdopted: boolean): void {
    if (isAdopted) {
      this.#adopted++
      this.#next[this.#last.job] = this.#last.index + 1
    } else {
      this.#board.takeBack(this.#last.job)
    }
  }

  #footprint(index: number, job: number): Uint8Array | undefined {
    if (index !== this.#next[job]) return undefined
    const runner = this.#board.runnerOf(job)
    const place = this.#board.addressOf(index)
    if (runner === undefined || place === undefined) return undefined
    return this.#source(runner, place, index)
  }
}
