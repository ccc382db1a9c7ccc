import * as op from '../../generated/opcode'
import { emitMemory } from '../../trace/trace-buffer'
import { saturate } from '../../u256/word'
import { depth } from '../frame/frame'
import { memoryBase } from '../machine/memory'

/**
 * Records the bytes that the opcode wrote into the frame's memory, if any. Its operands still lie above the stack,
 * because opcodes that write memory push nothing over them.
 */
export function traceWrite(opcode: u32, sp: usize): void {
  switch (opcode) {
    case op.MSTORE:
      return emit(sp, 32)
    case op.MSTORE8:
      return emit(sp, 1)
    case op.CALLDATACOPY:
    case op.CODECOPY:
    case op.RETURNDATACOPY:
    case op.MCOPY:
      return emit(sp, saturate(sp - 64))
    case op.EXTCODECOPY:
      return emit(sp - 32, saturate(sp - 96))
    default:
      return
  }
}

/** `target` is the word with the offset. */
function emit(target: usize, size: u64): void {
  if (size == 0) return
  const offset = saturate(target)
  emitMemory(depth + 1, offset, memoryBase + usize(offset), u32(size))
}
