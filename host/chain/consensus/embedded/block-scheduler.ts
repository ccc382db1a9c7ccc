import { LockstepError } from '../../../base/error.ts'
import type { Clock } from './clock.ts'

/** A slot of the block scheduler. */
export interface BlockSlot {
  /** Nanoseconds since 1970. */
  readonly time: bigint
  /** Resolves at that time; rejects if the scheduler stops first. */
  readonly reached: Promise<void>
}

export interface BlockSchedulerOptions {
  readonly clock: Clock
  /** Returns the milliseconds from one slot to the next. Called for each slot. */
  readonly intervalMs: () => number
  /** False to make a block only if there is work for it. */
  readonly createEmptyBlocks?: boolean | undefined
  /** If above 0, a block is made after this time even without work. */
  readonly createEmptyBlocksIntervalMs?: number | undefined
  /** Called if empty blocks are disabled. Work may arrive before it resolves. */
  readonly hasWork: () => Promise<boolean>
  /** Returns true if no further block may be made. */
  readonly isHalted: () => boolean
  readonly make: () => Promise<void>
  /** Starts a block before its slot. Replaces `make` if every slot gets a block. */
  readonly makeUntil?: (beat: BlockSlot) => Promise<void>
  /** Called once if a block fails; the scheduler then stops. */
  readonly onError: (cause: unknown) => void
}

const NANOS_PER_MILLI = 1_000_000n

/** Block scheduler: makes one block per interval until it is stopped. */
export class BlockScheduler {
  readonly #options: BlockSchedulerOptions
  readonly #stopping = new AbortController()
  readonly #finished: Promise<void>
  #wake = new AbortController()

  /** The first block is due at once, or after `delayMs`. */
  constructor(options: BlockSchedulerOptions, delayMs = 0) {
    this.#options = options
    this.#finished = this.#run(options.clock.monotonic() + delayMs)
  }

  /** Announces work for a block. */
  wake(): void {
    this.#wake.abort()
  }

  /** Stops the scheduler and resolves when the current block is done. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake.abort()
    await this.#finished
  }

  async #run(first: number): Promise<void> {
    const { intervalMs, isHalted, onError } = this.#options
    let due = first
    try {
      while (!isHalted()) {
        const { makeUntil } = this.#options
        const started = await (this.#isSteady && makeUntil !== undefined
          ? this.#makeUntil(due, makeUntil)
          : this.#makeAt(due))
        if (started === undefined) return
        const interval = intervalMs()
        // A late block shortens the next wait. One late by more than an interval shifts the schedule.
        due = (started - due > interval ? started : due) + interval
      }
    } catch (cause) {
      onError(cause)
    }
  }

  /** True if every slot gets a block. */
  get #isSteady(): boolean {
    const { createEmptyBlocks = true, createEmptyBlocksIntervalMs = 0 } = this.#options
    return createEmptyBlocks && createEmptyBlocksIntervalMs === 0
  }

  /** Returns when the block was begun; undefined if the scheduler was stopped first. */
  async #makeAt(due: number): Promise<number | undefined> {
    const { clock, make } = this.#options
    await this.#waitUntil(due)
    await this.#waitForWork()
    if (this.#stopping.signal.aborted) return undefined
    const started = clock.monotonic()
    await make()
    return started
  }

  /** Returns when the block stopped accepting transactions; undefined if the scheduler was stopped first. */
  async #makeUntil(
    due: number,
    make: (beat: BlockSlot) => Promise<void>,
  ): Promise<number | undefined> {
    const { clock } = this.#options
    const stopped = new LockstepError('INTERRUPTED', 'block production has stopped')
    const rest = Math.max(0, Math.round(due - clock.monotonic()))
    const time = clock.wallTime() + BigInt(rest) * NANOS_PER_MILLI
    let started = due
    const come = this.#waitUntil(due).then(() => {
      if (this.#stopping.signal.aborted) throw stopped
      started = clock.monotonic()
    })
    // The caller of `make` handles the rejection.
    come.catch(() => undefined)
    try {
      await make({ time, reached: come })
    } catch (cause) {
      if (cause === stopped) return undefined
      throw cause
    }
    return started
  }

  async #waitUntil(due: number): Promise<void> {
    const { clock } = this.#options
    const rest = due - clock.monotonic()
    if (rest > 0) await clock.wait(rest, this.#stopping.signal)
  }

  async #waitForWork(): Promise<void> {
    const { clock, createEmptyBlocksIntervalMs = 0 } = this.#options
    if (this.#isSteady) return
    // Set before `hasWork`: work may arrive before it resolves.
    const wake = new AbortController()
    this.#wake = wake
    if ((await this.#options.hasWork()) || this.#stopping.signal.aborted) return
    await clock.wait(createEmptyBlocksIntervalMs || Number.POSITIVE_INFINITY, wake.signal)
  }
}
