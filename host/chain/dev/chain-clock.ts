import { LockstepError } from '../../base/error.ts'
import { LAST_SECOND } from '../../base/time.ts'
import type { DevTime, MineRequest } from './dev-chain.ts'

export const SECOND: bigint = 1_000_000_000n
/** Least difference between the times of two blocks in nanoseconds. */
const MIN_STEP = 1_000_000n
/** Latest time of a block. Its vote, a millisecond later, is still in the year 9999. */
const LAST_TIME = BigInt(LAST_SECOND) * SECOND

/** State of the clock, to restore it later. All fields but `interval` are in nanoseconds. */
export interface ClockState {
  /** The chain's time. */
  readonly now: bigint
  readonly nextTime: bigint | undefined
  /** Seconds. */
  readonly interval: number | undefined
}

export interface ChainClockOptions {
  /** Returns nanoseconds since 1970. */
  readonly wallTime: () => bigint
  /** Returns the time of the latest block, in nanoseconds since 1970. */
  readonly lastTime: () => bigint
  /** Initial offset of the chain's time from the machine's, in nanoseconds; undefined for a chain that begins. */
  readonly offset: bigint | undefined
  /** Time at which the chain begins, at its start and after a reset, in nanoseconds since 1970; undefined for now. */
  readonly beginsAt?: bigint | undefined
  /** True if each block made by hand has a second of its own, as in Ethereum. */
  readonly isStrict: boolean
  /** Called after each change of the offset. */
  readonly onChange: () => void
}

/** Clock of a development chain: the machine's time plus an offset, with overrides for single blocks. */
export class ChainClock implements DevTime {
  readonly #options: ChainClockOptions
  #offsetNs: bigint
  #next: bigint | undefined
  #interval: number | undefined

  constructor(options: ChainClockOptions) {
    this.#options = options
    this.#offsetNs = this.#valid(options.offset ?? this.initialOffset)
  }

  get offset(): number {
    return Number(this.#offsetNs / SECOND)
  }

  /** Offset of a chain that begins now, in nanoseconds. */
  get initialOffset(): bigint {
    const { beginsAt, wallTime } = this.#options
    return beginsAt === undefined ? 0n : beginsAt - wallTime()
  }

  /** The offset in nanoseconds. */
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
    const { isStrict } = this.#options
    if (timestamp < last || (isStrict && BigInt(timestamp) === last)) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `Timestamp error: ${timestamp} is lower than ${isStrict ? 'or equal to ' : ''}previous block's timestamp ${last}`,
        {
          hint: `give a time ${isStrict ? 'above' : 'of at least'} ${last}, or revert to a snapshot`,
        },
      )
    }
    this.#next = BigInt(timestamp) * SECOND
  }

  /** Sets the time of the next block to `seconds` after the latest one. */
  setNextAfter(seconds: number): void {
    this.#next = this.#after(seconds)
  }

  get blockInterval(): number | undefined {
    return this.#interval
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
   * Rejects a request whose last block would be too late.
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
   * Returns the time of the next block, at least a millisecond after the previous one. It may be in the same second,
   * unless the clock is strict and the block is made by hand.
   * @throws REFUSED_ARGUMENT at the end of the year 9999
   */
  nextTime(isByHand: boolean): bigint {
    const time = this.#following(isByHand)
    requireYear(time, `the next block's timestamp ${time / SECOND}`)
    return time
  }

  /** Like `nextTime(true)`, for a block that is not made; capped at the latest possible time. */
  get upcomingTime(): bigint {
    const time = this.#following(true)
    return time < LAST_TIME ? time : LAST_TIME
  }

  #following(isByHand: boolean): bigint {
    const last = this.#options.lastTime()
    const next = this.#wanted()
    const earliest = last + MIN_STEP
    if (!isByHand) return next > earliest ? next : earliest
    const second = wholeSecond(next)
    const lastSecond = wholeSecond(last)
    if (second > lastSecond) return second
    // A clock that was set back: times still rise, by a second as in anvil.
    if (second < lastSecond || this.#options.isStrict) return lastSecond + SECOND
    // Not the clock's part of a second: the next ones may have to follow in the same second.
    return earliest
  }

  /** Lets the clock continue from a block whose time was set. */
  noteBlock(time: bigint): void {
    if (this.#next === undefined) return
    this.#next = undefined
    this.#moveTo(time)
  }

  get state(): ClockState {
    return { now: this.#now(), nextTime: this.#next, interval: this.#interval }
  }

  /** Restores an earlier state of the clock. */
  restore(state: ClockState): void {
    this.#next = state.nextTime
    this.#interval = state.interval
    this.#move(this.offsetAt(state))
  }

  /** Returns the offset with which the clock now continues from a state, in nanoseconds. */
  offsetAt({ now }: ClockState): bigint {
    return this.#valid(now - this.#options.wallTime())
  }

  /** Resets the clock to the time at which the chain began, or to the machine's. */
  reset(): void {
    this.#next = undefined
    this.#interval = undefined
    this.#move(this.initialOffset)
  }

  #wanted(): bigint {
    if (this.#next !== undefined) return this.#next
    return this.#interval === undefined ? this.#now() : this.#after(this.#interval)
  }

  #after(seconds: number): bigint {
    return wholeSecond(this.#options.lastTime()) + BigInt(seconds) * SECOND
  }

  #now(): bigint {
    return this.#options.wallTime() + this.#offsetNs
  }

  #moveTo(time: bigint): void {
    this.#move(time - wholeSecond(this.#options.wallTime()))
  }

  /** Replaces an offset that leads past the year 9999, as version 0.1.0 stored them, with 0. */
  #valid(offset: bigint): bigint {
    return this.#options.wallTime() + offset <= LAST_TIME ? offset : 0n
  }

  #move(offset: bigint): void {
    this.#offsetNs = offset
    this.#options.onChange()
  }
}

/** @throws REFUSED_ARGUMENT if the time, in nanoseconds since 1970, is too late for a block */
function requireYear(time: bigint, what: string): void {
  if (time <= LAST_TIME) return
  throw new LockstepError(
    'REFUSED_ARGUMENT',
    `${what} is too large: the last block is in the year 9999, timestamp ${LAST_SECOND}. ` +
      'Give fewer seconds, or set the clock back with anvil_setTime, evm_revert or anvil_rollback',
  )
}

function wholeSecond(time: bigint): bigint {
  return time - (time % SECOND)
}
