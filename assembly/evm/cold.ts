import { keccak256 } from '../hash/keccak'
import { KECCAK_DIGEST } from '../layout'
import { power } from '../u256/power'
import { bitLength, fitsLimb, readBytes, saturate, setWord } from '../u256/word'
import { call } from './call'
import { create } from './create'
import { NONE, OUT_OF_GAS, REVERTED } from './errors'
import { CALL, CALLCODE, CREATE, CREATE2, DELEGATECALL, STATICCALL } from './frame'
import { EXP_BASE, exponentByteGas, KECCAK_WORD } from './gas'
import { log } from './log'
import { failWith, gas, growMemory, memoryBase, setGas, setSp, sp, spendFuel } from './machine'
import { blobCount, blobHash } from './message-layout'
import { hashOfSlot } from './slot-hash'
import {
  balance,
  blockHash,
  copyMemory,
  copyReturnData,
  copySource,
  externalCodeCopy,
  externalCodeHash,
  externalCodeSize,
  finish,
  selfdestruct,
  sload,
  sstore,
  tload,
  tstore,
} from './state-access'
import { NEXT, WORKED } from './status'

/** Bytes whose hash takes some 10 us: shorter ones are work as any opcode's. */
const LONG_HASH: u64 = 4096

/** EXP (EIP-160). */
function exponentiate(): i32 {
  const bytes = u64((bitLength(sp - 32) + 7) >> 3)
  const left = gas - i64(EXP_BASE + exponentByteGas() * bytes)
  if (left < 0) return failWith(OUT_OF_GAS)
  power(sp - 32, sp, sp - 32)
  setGas(left)
  setSp(sp - 32)
  return NEXT
}

/** KECCAK256. */
function hash(): i32 {
  const offset = saturate(sp)
  const size = saturate(sp - 32)
  if (gas < 30) return failWith(OUT_OF_GAS)
  const left = growMemory(gas - 30, offset, size) - i64(KECCAK_WORD * ((size + 31) >> 5))
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

/** BLOBHASH (EIP-4844). */
function readBlobHash(): i32 {
  if (gas < 3) return failWith(OUT_OF_GAS)
  setGas(gas - 3)
  if (fitsLimb(sp) && load<u64>(sp) < u64(blobCount())) readBytes(sp, blobHash(u32(load<u64>(sp))))
  else setWord(sp, 0)
  return NEXT
}

/**
 * An opcode outside the hot loop, whose stack has been checked and whose registers lie in
 * machine.ts. Returns a signal; on PAUSE nothing has changed.
 */
export function runCold(opcode: u32): i32 {
  switch (opcode) {
    case 0x0a:
      return exponentiate()
    case 0x20:
      return hash()
    case 0x31:
      return balance()
    case 0x37:
      return copySource(false)
    case 0x39:
      return copySource(true)
    case 0x3b:
      return externalCodeSize()
    case 0x3c:
      return externalCodeCopy()
    case 0x3e:
      return copyReturnData()
    case 0x3f:
      return externalCodeHash()
    case 0x40:
      return blockHash()
    case 0x49:
      return readBlobHash()
    case 0x54:
      return sload()
    case 0x55:
      return sstore()
    case 0x5c:
      return tload()
    case 0x5d:
      return tstore()
    case 0x5e:
      return copyMemory()
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa3:
    case 0xa4:
      return log(opcode - 0xa0)
    case 0xf0:
      return create(CREATE)
    case 0xf1:
      return call(CALL)
    case 0xf2:
      return call(CALLCODE)
    case 0xf3:
      return finish(NONE)
    case 0xf4:
      return call(DELEGATECALL)
    case 0xf5:
      return create(CREATE2)
    case 0xfa:
      return call(STATICCALL)
    case 0xfd:
      return finish(REVERTED)
    default:
      return selfdestruct()
  }
}
