import { OUT_OF_GAS } from '../../generated/fault'
import { KECCAK_WORD } from '../../generated/gas'
import * as op from '../../generated/opcode'
import { keccak256 } from '../../hash/keccak'
import { KECCAK_DIGEST } from '../../layout'
import { readBytes, saturate } from '../../u256/word'
import { failWith } from '../machine/ending'
import { spendFuel } from '../machine/fuel'
import { growMemory, memoryBase } from '../machine/memory'
import { gas, setGas, setSp, sp } from '../machine/registers'
import { NEXT, WORKED } from '../signal'
import { hashOfSlot } from './slot-hash'

/** Input length whose hash takes some 10 us. Hashing less uses no fuel, like any other opcode. */
const LONG_HASH: u64 = 4096

/** KECCAK256. */
export function hash(): i32 {
  const offset = saturate(sp)
  const size = saturate(sp - 32)
  if (gas < op.KECCAK256_GAS) return failWith(OUT_OF_GAS)
  const left =
    growMemory(gas - op.KECCAK256_GAS, offset, size) - i64(KECCAK_WORD * ((size + 31) >> 5))
  if (left < 0) return failWith(OUT_OF_GAS)
  const data = memoryBase + usize(offset)
  if (size != 64) keccak256(data, u32(size), KECCAK_DIGEST)
  readBytes(sp - 32, size == 64 ? hashOfSlot(data) : KECCAK_DIGEST)
  setGas(left)
  setSp(sp - 32)
  if (size < LONG_HASH) return NEXT
  spendFuel(KECCAK_WORD * ((size + 31) >> 5))
  return WORKED
}
