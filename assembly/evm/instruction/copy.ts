import { OUT_OF_GAS, RETURN_DATA_BOUNDS } from '../../generated/fault'
import { COPY_WORD } from '../../generated/gas'
import * as op from '../../generated/opcode'
import { RETURN_DATA } from '../../layout'
import { copyBytes } from '../../u256/bytes'
import { saturate } from '../../u256/word'
import { CODE_BYTES, CODE_LENGTH, INPUT, INPUT_SIZE, top } from '../frame/frame'
import { failWith } from '../machine/ending'
import { growMemory, memoryBase, rangeAt } from '../machine/memory'
import { gas, pay, returnSize, setGas, setSp, sp } from '../machine/registers'
import { NEXT } from '../signal'

/** Copies `size` bytes from `offset` of a source of `length` bytes into memory, with zeros past its end. */
export function copyPadded(target: u64, source: usize, length: u64, offset: u64, size: u64): void {
  const at = memoryBase + usize(target)
  const present = offset >= length ? 0 : min(size, length - offset)
  if (present != 0) copyBytes(at, source + usize(offset), usize(present))
  if (present < size) memory.fill(at + usize(present), 0, usize(size - present))
}

/** Charges for a copy of `size` bytes to `target` beyond the constant gas. Returns false if out of gas. */
export function payCopy(target: u64, size: u64): bool {
  const left = growMemory(gas, target, size) - i64(COPY_WORD * ((size + 31) >> 5))
  setGas(left)
  return left >= 0
}

/** CALLDATACOPY and CODECOPY: copies from the input, or from the running code. */
export function copySource(isCode: bool): i32 {
  const target = saturate(sp)
  const size = saturate(sp - 64)
  if (!pay(isCode ? op.CODECOPY_GAS : op.CALLDATACOPY_GAS) || !payCopy(target, size))
    return failWith(OUT_OF_GAS)
  if (size != 0) {
    const source: usize = load<u32>(top + (isCode ? CODE_BYTES : INPUT))
    const length = load<u32>(top + (isCode ? CODE_LENGTH : INPUT_SIZE))
    copyPadded(target, source, length, saturate(sp - 32), size)
  }
  setSp(sp - 96)
  return NEXT
}

/** RETURNDATACOPY (EIP-211): fails on reading past the end. */
export function copyReturnData(): i32 {
  const target = saturate(sp)
  const offset = saturate(sp - 32)
  const size = saturate(sp - 64)
  if (!pay(op.RETURNDATACOPY_GAS) || !payCopy(target, size)) return failWith(OUT_OF_GAS)
  const end = offset + size
  if (end < offset || end > u64(returnSize)) return failWith(RETURN_DATA_BOUNDS)
  copyBytes(rangeAt(target, size), RETURN_DATA + usize(offset), usize(size))
  setSp(sp - 96)
  return NEXT
}

/** MCOPY (EIP-5656). */
export function copyMemory(): i32 {
  const target = saturate(sp)
  const source = saturate(sp - 32)
  const size = saturate(sp - 64)
  if (!pay(op.MCOPY_GAS) || !payCopy(max(target, source), size)) return failWith(OUT_OF_GAS)
  if (size != 0) memory.copy(memoryBase + usize(target), memoryBase + usize(source), usize(size))
  setSp(sp - 96)
  return NEXT
}
