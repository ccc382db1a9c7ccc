import { NONE, REVERTED } from '../../generated/fault'
import {
  CALL,
  CALLCODE,
  CREATE,
  CREATE2,
  DELEGATECALL,
  STATICCALL,
} from '../../generated/frame-kind'
import * as op from '../../generated/opcode'
import { balance, externalCodeCopy, externalCodeHash, externalCodeSize } from './account'
import { call } from './call'
import { copyMemory, copyReturnData, copySource } from './copy'
import { create } from './create'
import { blockHash, readBlobHash } from './environment'
import { exponentiate } from './exponent'
import { hash } from './hash'
import { log } from './log'
import { finish } from './return'
import { selfdestruct } from './selfdestruct'
import { sload, sstore, tload, tstore } from './storage'

/**
 * Runs an opcode whose code is not in the loop. Its stack has been checked, and the registers are in
 * machine/registers.ts. Returns a signal; on PAUSE nothing has changed.
 */
export function runOutOfLine(opcode: u32): i32 {
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
