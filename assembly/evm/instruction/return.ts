import { OUT_OF_GAS } from '../../generated/fault'
import { saturate } from '../../u256/word'
import { endWith, failWith } from '../machine/ending'
import { growMemory, rangeAt } from '../machine/memory'
import { gas, setGas, sp } from '../machine/registers'

/** RETURN and REVERT. */
export function finish(error: i32): i32 {
  const offset = saturate(sp)
  const size = saturate(sp - 32)
  const left = growMemory(gas, offset, size)
  if (left < 0) return failWith(OUT_OF_GAS)
  setGas(left)
  return endWith(error, rangeAt(offset, size), u32(size))
}
