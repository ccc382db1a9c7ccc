import { emitMemory } from '../trace/trace-buffer'
import { saturate } from '../u256/word'
import { depth } from './frame'
import { memoryBase } from './machine'

/**
 * Records what the opcode wrote into the frame's memory; nothing for an opcode that writes none.
 * Its operands are still where they were: those that write leave nothing in their place.
 */
export function traceWrite(opcode: u32, sp: usize): void {
  switch (opcode) {
    case 0x52: // MSTORE
      return emit(sp, 32)
    case 0x53: // MSTORE8
      return emit(sp, 1)
    case 0x37: // CALLDATACOPY
    case 0x39: // CODECOPY
    case 0x3e: // RETURNDATACOPY
    case 0x5e: // MCOPY
      return emit(sp, saturate(sp - 64))
    case 0x3c: // EXTCODECOPY
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
