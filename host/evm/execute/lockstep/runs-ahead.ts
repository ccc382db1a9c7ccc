import { bytesKey } from '../../../base/bytes.ts'
import { isImpersonated } from '../../chain-types/impersonation.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { JobBoard } from './job-board.ts'

/** Transactions of a block that other engines run ahead of their turn. */
export interface RunsAhead {
  /**
   * The footprint (`Engine.footprint`) of a transaction whose turn has come, where it ran ahead; undefined where the
   * block has to run it.
   */
  take(transaction: Transaction): Uint8Array | undefined
  /** The footprint that was taken last has been adopted, or was of other values than the block has come to. */
  settle(isAdopted: boolean): void
  /** The block has run a transaction, which it asked for last. */
  ran(transaction: Transaction): void
}

/** Transactions of one sender, which run one after another. */
export type Job = readonly Transaction[]

/** Milliseconds a transaction that a job takes at least: below that it costs the block as much to adopt as to run. */
export const LEAST_MS = 0.03

/** How the jobs of a block are shared out. */
export interface JobPlan {
  /** Transactions of each job. */
  readonly sizes: readonly number[]
  /** For each transaction, of the first job to the last, where the block has it. */
  readonly positions: readonly number[]
  /** First job of a share and the one behind its last, for the block itself and then for each runner. */
  readonly shares: readonly (readonly [from: number, to: number])[]
}

/** What of a block may run ahead. */
export interface PlannedJobs {
  /** By their first transactions. */
  readonly jobs: readonly Job[]
  readonly plan: JobPlan
}

interface SenderTransactions {
  readonly transactions: Transaction[]
  readonly positions: number[]
  milliseconds: number
}

/**
 * The jobs of a block whose transactions are these in this order, for so many runners; `expected` says how many
 * milliseconds one will take.
 */
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

/** Shares of jobs that take about as long, one behind the other. */
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

/** The footprint of a transaction that an engine has left, by its engine and where it left it. */
export type FootprintSource = (
  runner: number,
  place: number,
  index: number,
) => Uint8Array | undefined

/** Number of a transaction among those of all jobs, and of its job. */
interface Place {
  readonly index: number
  readonly job: number
}

/** The jobs of one block, as the thread of the block sees them. */
export class BlockJobs implements Omit<RunsAhead, 'ran'> {
  readonly #board: JobBoard
  readonly #source: FootprintSource
  readonly #places = new Map<Transaction, Place>()
  /**
   * For each job the transaction that may be adopted next. Where the one before was not adopted, or its turn never came
   * because the block had no gas for it, what those after it read was never there.
   */
  readonly #next: number[] = []
  #taken = 0
  #adopted = 0
  /** The transaction whose footprint was taken last. */
  #last: Place = { index: 0, job: 0 }

  constructor(jobs: readonly Job[], board: JobBoard, source: FootprintSource) {
    this.#board = board
    this.#source = source
    let index = 0
    for (const [job, transactions] of jobs.entries()) {
      this.#next.push(index)
      for (const transaction of transactions) this.#places.set(transaction, { index: index++, job })
    }
  }

  /** Footprints that were there in time. */
  get taken(): number {
    return this.#taken
  }

  get adopted(): number {
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

  settle(isAdopted: boolean): void {
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
    const place = this.#board.placeOf(index)
    if (runner === undefined || place === undefined) return undefined
    return this.#source(runner, place, index)
  }
}
