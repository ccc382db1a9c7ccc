import { CALL_GAS, GAS_OVERFLOW, MEMORY_OVERFLOW, OUT_OF_GAS, WRITE } from '../../generated/fault'
import { END } from '../signal'
import { forgetOverflows, memoryBase, priceOverflows, sizeOverflows } from './memory'

/** End of the current frame: a fault (generated/fault.ts), the detail of the fault's message, and the output. */
export let fault: i32 = 0
export let faultDetail: u64 = 0
export let output: usize = 0
export let outputSize: u32 = 0
/** Set while the host reads the trace of the opcode at which the frame ends. */
export let isEnding: bool = false

export function setEnding(value: bool): void {
  isEnding = value
}

/** Sets the fault of the frame. Returns the signal END for the caller to return. */
export function failWith(error: i32, detail: u64 = 0): i32 {
  fault = error
  faultDetail = detail
  if (sizeOverflows) {
    fault = GAS_OVERFLOW
  } else if (priceOverflows && detail != CALL_GAS && detail != WRITE) {
    fault = OUT_OF_GAS
    faultDetail = MEMORY_OVERFLOW
  }
  forgetOverflows()
  output = memoryBase
  outputSize = 0
  return END
}

/** Sets the end of the frame, which returns its remaining gas. Returns the signal END. */
export function endWith(error: i32, at: usize, size: u32): i32 {
  fault = error
  faultDetail = 0
  output = at
  outputSize = size
  return END
}
