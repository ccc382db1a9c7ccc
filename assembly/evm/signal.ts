import { DONE } from '../generated/status'

// Signals: the result by which an out-of-line instruction tells the loop how to continue.

/** The frame ends according to machine/ending.ts. */
export const END = -1
/** Continue with the next opcode. */
export const NEXT = 0
/** Another frame is on top, or none is left. */
export const SWITCH = 1
/** Continue with the next opcode after the host has read the trace. */
export const DRAIN = 4
/** Continue with the next opcode after its work is taken off the fuel. */
export const WORKED = 5
/** Stop for the reason in `pending`. The opcode has consumed nothing and is dispatched again. */
export const PAUSE = 2

/** The status with which the run stops (generated/status.ts). */
export let pending: i32 = DONE

export function pauseFor(status: i32): i32 {
  pending = status
  return PAUSE
}
