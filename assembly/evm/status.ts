import { DONE } from '../generated/status'

/** What an instruction outside the loop tells the loop. */
/** The frame ends; machine.ts holds how. */
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

/** Why the run stops. */
export let pending: i32 = DONE

export function pauseFor(status: i32): i32 {
  pending = status
  return PAUSE
}
