import { DONE } from '../generated/status'

// Signals: the result by which an out-of-line instruction tells the loop how to go on

/** The frame ends, as machine/ending.ts says. */
export const END = -1
/** Go on with the next opcode. */
export const NEXT = 0
/** Another frame is on top, or none. */
export const SWITCH = 1
/** Go on with the next opcode once the host has read the trace. */
export const DRAIN = 4
/** Go on with the next opcode once its work is taken off the fuel. */
export const WORKED = 5
/** Stop: `pending` says why. The opcode has consumed nothing and is dispatched again. */
export const PAUSE = 2

/** The status with which the run stops (generated/status.ts). */
export let pending: i32 = DONE

export function pauseFor(status: i32): i32 {
  pending = status
  return PAUSE
}
