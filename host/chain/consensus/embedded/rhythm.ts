import { LockstepError } from '../../../base/error.ts'
import type { Clock } from './clock.ts'

/** The time at which a block is due. */
export interface Beat {
  /** Nanoseconds since 1970. */
  readonly time: bigint
  /** Resolves then; rejects where the rhythm is stopped before. */
  readonly come: Promise<void>
}

export interface RhythmOptions {
  readonly clock: Clock
  /** From one beat to the next; asked for each. */
  readonly intervalMs: () => number
  /** False: a block is made when there is work for it. */
  readonly createEmptyBlocks?: boolean | undefined
  /** Above 0: a block is made after this long also without work. */
  readonly createEmptyBlocksIntervalMs?: number | undefined
  /** Asked where no empty blocks are made; work may come while it answers. */
  readonly hasWork: () => Promise<boolean>
  /** True once no further block may be made. */
  readonly isHalted: () => boolean
  readonly make: () => Promise<void>
  /** Makes a block that is begun before its beat: called in the place of `make` where a block is made in any case. */
  readonly makeUntil?: (beat: Beat) => Promise<void>
  /** Called once when a block fails; none is made after it. */
  readonly onError: (cause: unknown) => void
}

const NANOS_PER_MILLI = 1_000_000n

/** Makes blocks, one each interval, until it is stopped. */
export class Rhythm {
  readonly #options: RhythmOptions
  readonly #stopping = new AbortController()
  readonly #finished: Promise<void>
  #wake = new AbortController()

  /** The first block is due at once, or after `delayMs`. */
  constructor(options: RhythmOptions, delayMs = 0) {
    this.#options = options
    this.#finished = this.#run(options.clock.monotonic() + delayMs)
  }

  /** Says that there is work for a block. */
  wake(): void {
    this.#wake.abort()
  }

  /** Resolves once the block in progress is done. */
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
        // A late block shortens the wait for the next; one later than an interval starts a new beat.
        due = (started - due > interval ? started : due) + interval
      }
    } catch (cause) {
      onError(cause)
    }
  }

  /** True where a block is made in any case. */
  get #isSteady(): boolean {
    const { createEmptyBlocks = true, createEmptyBlocksIntervalMs = 0 } = this.#options
    return createEmptyBlocks && createEmptyBlocksIntervalMs === 0
  }

  /** Returns when the block was begun; undefined where the rhythm was stopped before. */
  async #makeAt(due: number): Promise<number | undefined> {
    const { clock, make } = this.#options
    await this.#waitUntil(due)
    await this.#waitForWork()
    if (this.#stopping.signal.aborted) return undefined
    const started = clock.monotonic()
    await make()
    return started
  }

  /** Returns when the block was closed to what arrives; undefined where the rhythm was stopped before. */
  async #makeUntil(due: number, make: (beat: Beat) => Promise<void>): Promise<number | undefined> {
    const { clock } = this.#options
    const stopped = new LockstepError('INTERRUPTED', 'no block is made any more')
    const rest = Math.max(0, Math.round(due - clock.monotonic()))
    const time = clock.wallTime() + BigInt(rest) * NANOS_PER_MILLI
    let started = due
    const come = this.#waitUntil(due).then(() => {
      if (this.#stopping.signal.aborted) throw stopped
      started = clock.monotonic()
    })
    // Whoever waits for it hears of it.
    come.catch(() => undefined)
    try {
      await make({ time, come })
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
    // Work may come while it is looked for.
    const wake = new AbortController()
    this.#wake = wake
    if ((await this.#options.hasWork()) || this.#stopping.signal.aborted) return
    await clock.wait(createEmptyBlocksIntervalMs || Number.POSITIVE_INFINITY, wake.signal)
  }
}
