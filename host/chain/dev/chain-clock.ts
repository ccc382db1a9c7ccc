import { LockstepError } from '../../base/error.ts'
import { LAST_SECOND } from '../../base/time.ts'
import type { DevTime, MineRequest } from './dev-chain.ts'

export const SECOND: bigint = 1_000_000_000n
/** Two blocks of one second differ by at least this. */
const MIN_STEP = 1_000_000n
/** The latest time of a block. Its vote, a millisecond later, is of the year 9999 too. */
const LAST_TIME = BigInt(LAST_SECOND) * SECOND

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
    this.#offsetNs = this.#valid(options.offset)
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
    requireYear(this.#now() + BigInt(seconds) * SECOND, `${seconds} more seconds`)
    this.#move(this.#offsetNs + BigInt(seconds) * SECOND)
    return this.offset
  }

  set(timestamp: number): number {
    requireYear(BigInt(timestamp) * SECOND, `timestamp ${timestamp}`)
    this.#next = undefined
    this.#moveTo(BigInt(timestamp) * SECOND)
    return this.offset
  }

  setNext(timestamp: number): void {
    requireYear(BigInt(timestamp) * SECOND, `timestamp ${timestamp}`)
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
    requireYear(this.#after(seconds), `an interval of ${seconds} seconds`)
    this.#interval = seconds
  }

  removeBlockInterval(): boolean {
    const had = this.#interval !== undefined
    this.#interval = undefined
    return had
  }

  /**
   * Refuses blocks by hand if the last of them would have no time.
   * @throws REFUSED_ARGUMENT
   */
  requireTimes({ blocks, timestamp, interval = this.#interval ?? 1 }: MineRequest): void {
    if (blocks < 2) return
    const first = timestamp === undefined ? this.nextTime(true) : BigInt(timestamp) * SECOND
    const step = BigInt(Math.max(interval, 1)) * SECOND
    const last = first + BigInt(blocks - 1) * step
    const what = `the last of ${blocks} blocks, ${interval} s apart: its timestamp ${last / SECOND}`
    requireYear(last, what)
  }

  /**
   * Time of the next block. A block by hand has a second of its own, as Ethereum's have; one of the rhythm may share
   * it with the one before.
   * @throws REFUSED_ARGUMENT if the chain or its clock has come to the end of the year 9999
   */
  nextTime(isByHand: boolean): bigint {
    const time = this.#following(isByHand)
    requireYear(time, `the next block's timestamp ${time / SECOND}`)
    return time
  }

  /** The same for a block that is not made: the last time of all if there is no other. */
  get upcomingTime(): bigint {
    const time = this.#following(true)
    return time < LAST_TIME ? time : LAST_TIME
  }

  #following(isByHand: boolean): bigint {
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
    return this.#valid(now - this.#options.wallTime())
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

  /** 0.1.0 has kept offsets that lead past the year 9999: none is the machine's time. */
  #valid(offset: bigint): bigint {
    return this.#options.wallTime() + offset <= LAST_TIME ? offset : 0n
  }

  #move(offset: bigint): void {
    this.#offsetNs = offset
    this.#options.onChange()
  }
}

/** @throws REFUSED_ARGUMENT if no block can have the time, in nanoseconds since 1970 */
function requireYear(time: bigint, what: string): void {
  if (time <= LAST_TIME) return
  throw new LockstepError(
    'REFUSED_ARGUMENT',
    `${what} is too big: the last block is of the year 9999, timestamp ${LAST_SECOND}. ` +
      'Give fewer seconds, or set the clock back with anvil_setTime, evm_revert or anvil_rollback',
  )
}

function wholeSecond(time: bigint): bigint {
  return time - (time % SECOND)
}
