import { LAST_SECOND } from '../../../base/time.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { driven, unfit } from './driven.ts'

const SECOND_MS = 1000

/** Moves the clock; the answer is by how much it has been moved in all. */
export function increaseTime(call: RpcCall, seconds: number): number {
  return driven(call).time.increase(seconds)
}

export function setNextBlockTimestamp(call: RpcCall, timestamp: number): null {
  driven(call).time.setNext(timestamp)
  return null
}

/** Sets the clock; the answer is by how many seconds it has moved on. A time past the year 9999 is in milliseconds. */
export function setTime(call: RpcCall, timestamp: number): number {
  const { time } = driven(call)
  const wanted = timestamp > LAST_SECOND ? Math.floor(timestamp / SECOND_MS) : timestamp
  const before = time.offset
  return Math.max(time.set(wanted) - before, 0)
}

export function setBlockTimestampInterval(call: RpcCall, seconds: number): void {
  driven(call).time.setBlockInterval(seconds)
}

/** By Hardhat's name, which viem alone calls: Hardhat has no such method. */
export function setBlockTimestampIntervalMs(call: RpcCall, milliseconds: number): void {
  if (milliseconds % SECOND_MS !== 0) {
    throw unfit(
      `an interval of ${milliseconds} ms is no number of whole seconds`,
      'give a multiple of 1000, or seconds to anvil_setBlockTimestampInterval',
    )
  }
  setBlockTimestampInterval(call, milliseconds / SECOND_MS)
}

export function removeBlockTimestampInterval(call: RpcCall): boolean {
  return driven(call).time.removeBlockInterval()
}

/** Seconds since 1970. */
export function genesisTime({ context }: RpcCall): number {
  return context.chain.header(0)?.timestamp ?? 0
}
