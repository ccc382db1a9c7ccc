import { LockstepError } from '../base/error.ts'
import type { DevTime } from './dev-chain.ts'

export const SECOND: bigint = 1_000_000_000n
/** Two blocks of one second differ by at least this. */
const MIN_STEP = 1_000_000n

/** Where the clock stood, by which it is set back. All but `interval` are nanoseconds. */
export interface ClockState {
  /** The chain's time. */
  readonly now: bigint
  readonly nextTime: bigint | undefined
  /** Seconds. */
  readonly interval: number | undefined
}

export interface ChainClockOptions {
  /** Nanoseconds since 1970. */
  readonly wallTime: () => bigint
  /** Time of the newest block, in nanoseconds since 1970. */
  readonly lastTime: () => bigint
  /** The chain's time less the machine's at the start, in nanoseconds. */
  readonly offset: bigint
  /** Called after each change of the offset. */
  readonly onChange: () => void
}

/** The time of a development chain: that of the machine, moved, and set for single blocks. */
export class ChainClock implements DevTime {
  readonly #options: ChainClockOptions
  #offsetNs: bigint
  #next: bigint | undefined
  #interval: number | undefined

  constructor(options: ChainClockOptions) {
    this.#options = options
    this.#offsetNs = options.offset
  }

  get offset(): number {
    return Number(this.#offsetNs / SECOND)
  }

  /** The same in nanoseconds. */
  get offsetNs(): bigint {
    return this.#offsetNs
  }

  get now(): number {
    return Number(this.#now() / SECOND)
  }

  increase(seconds: number): number {
    this.#move(this.#offsetNs + BigInt(seconds) * SECOND)
    return this.offset
  }

  set(timestamp: number): number {
    this.#next = undefined
    this.#moveTo(BigInt(timestamp) * SECOND)
    return this.offset
  }

  setNext(timestamp: number): void {
    const last = this.#options.lastTime() / SECOND
    if (timestamp <= last) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `Timestamp error: ${timestamp} is lower than or equal to previous block's timestamp ${last}`,
        { hint: `give a time above ${last}, or go back to a snapshot` },
      )
    }
    this.#next = BigInt(timestamp) * SECOND
  }

  /** Sets the time of the next block to so many seconds after the newest, one at least. */
  setNextAfter(seconds: number): void {
    this.#next = this.#after(seconds)
  }

  setBlockInterval(seconds: number): void {
    this.#interval = seconds
  }

  removeBlockInterval(): boolean {
    const had = this.#interval !== undefined
    this.#interval = undefined
    return had
  }

  /**
   * Time of the next block. A block by hand has a second of its own, as Ethereum's have; one of the rhythm may share
   * it with the one before.
   */
  nextTime(isByHand: boolean): bigint {
    const last = this.#options.lastTime()
    const next = this.#wanted()
    if (!isByHand) return next > last + MIN_STEP ? next : last + MIN_STEP
    const second = wholeSecond(next)
    return second > wholeSecond(last) ? second : this.#after(1)
  }

  /** Has the clock go on from a block whose time was set. */
  took(time: bigint): void {
    if (this.#next === undefined) return
    this.#next = undefined
    this.#moveTo(time)
  }

  get state(): ClockState {
    return { now: this.#now(), nextTime: this.#next, interval: this.#interval }
  }

  /** Goes on from where the clock once stood. */
  restore(state: ClockState): void {
    this.#next = state.nextTime
    this.#interval = state.interval
    this.#move(this.offsetAt(state))
  }

  /** The offset that has the clock go on from a state now, in nanoseconds. */
  offsetAt({ now }: ClockState): bigint {
    return now - this.#options.wallTime()
  }

  /** The machine's time again. */
  reset(): void {
    this.#next = undefined
    this.#interval = undefined
    this.#move(0n)
  }

  #wanted(): bigint {
    if (this.#next !== undefined) return this.#next
    return this.#interval === undefined ? this.#now() : this.#after(this.#interval)
  }

  #after(seconds: number): bigint {
    return wholeSecond(this.#options.lastTime()) + BigInt(Math.max(seconds, 1)) * SECOND
  }

  #now(): bigint {
    return this.#options.wallTime() + this.#offsetNs
  }

  #moveTo(time: bigint): void {
    this.#move(time - wholeSecond(this.#options.wallTime()))
  }

  #move(offset: bigint): void {
    this.#offsetNs = offset
    this.#options.onChange()
  }
}

function wholeSecond(time: bigint): bigint {
  return time - (time % SECOND)
}
