/** Nobody has the job yet. */
const FREE = 0
/** The block runs the job itself. */
const TAKEN_BACK = -1
const STOPPED_AT = 0
const JOBS_AT = 1

/** Words of 32 bits that a board of so many jobs and transactions takes. */
export function boardWords(jobs: number, transactions: number): number {
  return JOBS_AT + jobs + transactions
}

/**
 * Who runs which job of a block, and which of their transactions have run: words that all threads of the block share.
 * Whoever needs what another has not finished does it himself: nobody waits.
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

  /** The block is over: no job is wanted any more. */
  stop(): void {
    Atomics.store(this.#words, STOPPED_AT, 1)
  }

  /** Takes a job for a runner, whose number is not 0; false where somebody has it. */
  claim(job: number, runner: number): boolean {
    return Atomics.compareExchange(this.#words, JOBS_AT + job, FREE, runner) === FREE
  }

  /** Takes the last job that is free; undefined where there is none. */
  claimLast(runner: number): number | undefined {
    if (this.isStopped) return undefined
    for (let job = this.#jobs - 1; job >= 0; job--) {
      if (this.claim(job, runner)) return job
    }
    return undefined
  }

  /** Has the block run what is left of a job. */
  takeBack(job: number): void {
    Atomics.store(this.#words, JOBS_AT + job, TAKEN_BACK)
  }

  /** The runner that has the job; undefined for none. */
  runnerOf(job: number): number | undefined {
    const runner = Atomics.load(this.#words, JOBS_AT + job)
    return runner === FREE || runner === TAKEN_BACK ? undefined : runner
  }

  /** Says where the footprint of a transaction lies: not below 0. */
  publish(index: number, place: number): void {
    Atomics.store(this.#words, JOBS_AT + this.#jobs + index, place + 1)
  }

  /** Where the footprint of a transaction lies; undefined while there is none. */
  placeOf(index: number): number | undefined {
    const place = Atomics.load(this.#words, JOBS_AT + this.#jobs + index)
    return place === 0 ? undefined : place - 1
  }
}
