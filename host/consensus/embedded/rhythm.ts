import type { Clock } from './clock.ts'

export interface RhythmOptions {
  readonly clock: Clock
  /** From the start of one block to the start of the next; asked for each. */
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
  /** Called once when a block fails; none is made after it. */
  readonly onError: (cause: unknown) => void
}

/** The longest timer of Node, 24.8 days. */
const FOREVER_MS = 2 ** 31 - 1

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
    const { clock, intervalMs, isHalted, make, onError } = this.#options
    let due = first
    try {
      while (!isHalted()) {
        await this.#waitUntil(due)
        await this.#waitForWork()
        if (this.#stopping.signal.aborted) return
        const started = clock.monotonic()
        await make()
        const interval = intervalMs()
        // A late block shortens the wait for the next; one later than an interval starts a new beat.
        due = (started - due > interval ? started : due) + interval
      }
    } catch (cause) {
      onError(cause)
    }
  }

  async #waitUntil(due: number): Promise<void> {
    const { clock } = this.#options
    const rest = due - clock.monotonic()
    if (rest > 0) await clock.wait(rest, this.#stopping.signal)
  }

  async #waitForWork(): Promise<void> {
    const { clock, createEmptyBlocks = true, createEmptyBlocksIntervalMs = 0 } = this.#options
    if (createEmptyBlocks && createEmptyBlocksIntervalMs === 0) return
    // Work may come while it is looked for.
    const wake = new AbortController()
    this.#wake = wake
    if ((await this.#options.hasWork()) || this.#stopping.signal.aborted) return
    await clock.wait(createEmptyBlocksIntervalMs || FOREVER_MS, wake.signal)
  }
}
