import { NONE, OUT_OF_GAS, REVERTED } from '../generated/fault'
import { CALL, CALLCODE, CREATE, CREATE2, DELEGATECALL, STATICCALL } from '../generated/frame-kind'
import { exponentByteGas, KECCAK_WORD } from '../generated/gas'
import * as op from '../generated/opcode'
import { keccak256 } from '../hash/keccak'
import { KECCAK_DIGEST } from '../layout'
import { power } from '../u256/power'
import { bitLength, fitsLimb, readBytes, saturate, setWord } from '../u256/word'
import { call } from './call'
import { create } from './create'
import { log } from './log'
import { failWith, gas, growMemory, memoryBase, setGas, setSp, sp, spendFuel } from './machine'
import { blobCount, blobHash } from './message-layout'
import { revision } from './revision'
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
  const left = gas - (op.EXP_GAS + i64(exponentByteGas(revision) * bytes))
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

/** BLOBHASH (EIP-4844). */
function readBlobHash(): i32 {
  if (gas < op.BLOBHASH_GAS) return failWith(OUT_OF_GAS)
  setGas(gas - op.BLOBHASH_GAS)
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
    case op.EXP:
      return exponentiate()
    case op.KECCAK256:
      return hash()
    case op.BALANCE:
      return balance()
    case op.CALLDATACOPY:
      return copySource(false)
    case op.CODECOPY:
      return copySource(true)
    case op.EXTCODESIZE:
      return externalCodeSize()
    case op.EXTCODECOPY:
      return externalCodeCopy()
    case op.RETURNDATACOPY:
      return copyReturnData()
    case op.EXTCODEHASH:
      return externalCodeHash()
    case op.BLOCKHASH:
      return blockHash()
    case op.BLOBHASH:
      return readBlobHash()
    case op.SLOAD:
      return sload()
    case op.SSTORE:
      return sstore()
    case op.TLOAD:
      return tload()
    case op.TSTORE:
      return tstore()
    case op.MCOPY:
      return copyMemory()
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      return log(opcode - op.LOG0)
    case op.CREATE:
      return create(CREATE)
    case op.CALL:
      return call(CALL)
    case op.CALLCODE:
      return call(CALLCODE)
    case op.RETURN:
      return finish(NONE)
    case op.DELEGATECALL:
      return call(DELEGATECALL)
    case op.CREATE2:
      return create(CREATE2)
    case op.STATICCALL:
      return call(STATICCALL)
    case op.REVERT:
      return finish(REVERTED)
    case op.SELFDESTRUCT:
      return selfdestruct()
    default:
      return unreachable()
  }
}
