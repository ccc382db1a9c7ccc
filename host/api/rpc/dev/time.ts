import { LAST_SECOND } from '../../../base/time.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf, unsupportedArgument } from './driven.ts'

const SECOND_MS = 1000

/** Advances the clock; returns its total offset. */
export function increaseTime(call: MethodCall, seconds: number): number {
  return devChainOf(call).time.increase(seconds)
}

export function setNextBlockTimestamp(call: MethodCall, timestamp: number): null {
  devChainOf(call).time.setNext(timestamp)
  return null
}

/** Sets the clock; returns the seconds by which it was advanced. A time after the year 9999 is in milliseconds. */
export function setTime(call: MethodCall, timestamp: number): number {
  const { time } = devChainOf(call)
  const wanted = timestamp > LAST_SECOND ? Math.floor(timestamp / SECOND_MS) : timestamp
  const before = time.offset
  return Math.max(time.set(wanted) - before, 0)
}

export function setBlockTimestampInterval(call: MethodCall, seconds: number): void {
  devChainOf(call).time.setBlockInterval(seconds)
}

/** Has Hardhat's prefix, but only viem uses it: Hardhat has no such method. */
export function setBlockTimestampIntervalMs(call: MethodCall, milliseconds: number): void {
  if (milliseconds % SECOND_MS !== 0) {
    throw unsupportedArgument(
      `an interval of ${milliseconds} ms is not a whole number of seconds`,
      'use a multiple of 1000, or anvil_setBlockTimestampInterval with seconds',
    )
  }
  setBlockTimestampInterval(call, milliseconds / SECOND_MS)
}

export function removeBlockTimestampInterval(call: MethodCall): boolean {
  return devChainOf(call).time.removeBlockInterval()
}

/** Seconds since 1970. */
export function genesisTime({ context }: MethodCall): number {
  return context.chain.header(0)?.timestamp ?? 0
}
