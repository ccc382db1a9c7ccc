/** State of an unclaimed job. */
const FREE = 0
/** State of a job that the block itself executes. */
const TAKEN_BACK = -1
const STOPPED_AT = 0
const JOBS_AT = 1

/** Returns the 32-bit words of a board for this many jobs and transactions. */
export function boardWords(jobs: number, transactions: number): number {
  return JOBS_AT + jobs + transactions
}

/**
 * Lock-free table, shared by all threads of a block, of which runner has which job and which transactions have run. A
 * thread never waits: it executes what another has not finished.
 */
export class JobBoard {
  readonly #words: Int32Array
  readonly #jobs: number

  /** @param words all zeros for a new block */
  constructor(words: Int32Array, jobs: number) {
    this.#words = words
    this.#jobs = jobs
  }

  get isStopped(): boolean {
    return Atomics.load(this.#words, STOPPED_AT) !== 0
  }

  /** Marks the block as finished: no more jobs are needed. */
  stop(): void {
    Atomics.store(this.#words, STOPPED_AT, 1)
  }

  /** Claims a job for a runner, whose number is not 0. Returns false if it is already claimed. */
  claim(job: number, runner: number): boolean {
    return Atomics.compareExchange(this.#words, JOBS_AT + job, FREE, runner) === FREE
  }

  /** Claims the last free job; undefined if there is none. */
  claimLast(runner: number): number | undefined {
    if (this.isStopped) return undefined
    for (let job = this.#jobs - 1; job >= 0; job--) {
      if (this.claim(job, runner)) return job
    }
    return undefined
  }

  /** Returns the rest of a job to the block. */
  takeBack(job: number): void {
    Atomics.store(this.#words, JOBS_AT + job, TAKEN_BACK)
  }

  /** Returns the runner of a job; undefined if there is none. */
  runnerOf(job: number): number | undefined {
    const runner = Atomics.load(this.#words, JOBS_AT + job)
    return runner === FREE || runner === TAKEN_BACK ? undefined : runner
  }

  /** Publishes the address, at least 0, of a transaction's read/write set. */
  publish(index: number, place: number): void {
    Atomics.store(this.#words, JOBS_AT + this.#jobs + index, place + 1)
  }

  /** Returns the address of a transaction's read/write set; undefined if there is none yet. */
  addressOf(index: number): number | undefined {
    const place = Atomics.load(this.#words, JOBS_AT + this.#jobs + index)
    return place === 0 ? undefined : place - 1
  }
}
