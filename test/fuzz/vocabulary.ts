import type { Revision } from '../../host/evm/chain-types/revision.ts'
import { OPCODES } from '../../host/evm/engine/opcode.ts'

/** The meaning of an operand, which determines the values worth trying. */
export type Operand =
  | 'word'
  | 'exponent'
  | 'offset'
  | 'length'
  | 'address'
  | 'slot'
  | 'value'
  | 'gas'
  | 'index'
  | 'shift'
  | 'block'

/** Operands with a meaning, from the top of the stack down. All others are words. */
export const OPERANDS: Readonly<Record<string, readonly Operand[]>> = {
  EXP: ['word', 'exponent'],
  SIGNEXTEND: ['index', 'word'],
  BYTE: ['index', 'word'],
  SHL: ['shift', 'word'],
  SHR: ['shift', 'word'],
  SAR: ['shift', 'word'],
  KECCAK256: ['offset', 'length'],
  BALANCE: ['address'],
  EXTCODESIZE: ['address'],
  EXTCODEHASH: ['address'],
  EXTCODECOPY: ['address', 'offset', 'offset', 'length'],
  CALLDATALOAD: ['offset'],
  CALLDATACOPY: ['offset', 'offset', 'length'],
  CODECOPY: ['offset', 'offset', 'length'],
  RETURNDATACOPY: ['offset', 'index', 'index'],
  BLOCKHASH: ['block'],
  BLOBHASH: ['index'],
  MLOAD: ['offset'],
  MSTORE: ['offset', 'word'],
  MSTORE8: ['offset', 'word'],
  MCOPY: ['offset', 'offset', 'length'],
  SLOAD: ['slot'],
  SSTORE: ['slot', 'value'],
  TLOAD: ['slot'],
  TSTORE: ['slot', 'word'],
  LOG0: ['offset', 'length'],
  LOG1: ['offset', 'length', 'word'],
  LOG2: ['offset', 'length', 'word', 'word'],
  LOG3: ['offset', 'length', 'word', 'word', 'word'],
  LOG4: ['offset', 'length', 'word', 'word', 'word', 'word'],
  CREATE: ['value', 'offset', 'length'],
  CREATE2: ['value', 'offset', 'length', 'index'],
  CALL: ['gas', 'address', 'value', 'offset', 'length', 'offset', 'length'],
  CALLCODE: ['gas', 'address', 'value', 'offset', 'length', 'offset', 'length'],
  DELEGATECALL: ['gas', 'address', 'offset', 'length', 'offset', 'length'],
  STATICCALL: ['gas', 'address', 'offset', 'length', 'offset', 'length'],
  RETURN: ['offset', 'length'],
  REVERT: ['offset', 'length'],
  SELFDESTRUCT: ['address'],
}

/** Opcodes by name. */
export const CODES = new Map(
  OPCODES.flatMap((opcode, code) => (opcode ? [[opcode.name, code]] : [])),
)
export const ENDINGS = ['STOP', 'RETURN', 'RETURN', 'REVERT', 'SELFDESTRUCT', 'INVALID']
export const CALLS = ['CALL', 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
/** Opcodes generated on their own. Jumps, pushes and terminators have their own statements. */
export const PLAIN = OPCODES.flatMap((opcode) => {
  if (opcode === undefined || opcode.immediates > 0 || /^JUMP|^PUSH/.test(opcode.name)) return []
  return ENDINGS.includes(opcode.name) ? [] : [opcode]
})

/** The revision that introduced each opcode. Those of Frontier are omitted. */
export const SINCE: Readonly<Record<string, Revision>> = {
  DELEGATECALL: 'Homestead',
  RETURNDATASIZE: 'Byzantium',
  RETURNDATACOPY: 'Byzantium',
  STATICCALL: 'Byzantium',
  REVERT: 'Byzantium',
  SHL: 'Constantinople',
  SHR: 'Constantinople',
  SAR: 'Constantinople',
  EXTCODEHASH: 'Constantinople',
  CREATE2: 'Constantinople',
  CHAINID: 'Istanbul',
  SELFBALANCE: 'Istanbul',
  BASEFEE: 'London',
  TLOAD: 'Cancun',
  TSTORE: 'Cancun',
  MCOPY: 'Cancun',
  BLOBHASH: 'Cancun',
  BLOBBASEFEE: 'Cancun',
  CLZ: 'Osaka',
}

/**
 * Sequences that compilers emit often and that an engine may fuse: `#` pushes one byte, `#4` four bytes, `@` the
 * address of a jump.
 */
export const IDIOMS = [
  'ADD SWAP1 POP',
  'ADD MLOAD',
  'LT ISZERO @ JUMPI',
  'LT @ JUMPI',
  'GT ISZERO @ JUMPI',
  'GT @ JUMPI',
  'SLT ISZERO @ JUMPI',
  'EQ @ JUMPI',
  'ISZERO ISZERO @ JUMPI',
  'ISZERO @ JUMPI',
  'AND OR',
  'POP POP',
  '# DUP2 LT ISZERO @ JUMPI',
  '# DUP2 LT @ JUMPI',
  '# DUP2 EQ @ JUMPI',
  '# # # SHL SUB',
  '# DUP1 MLOAD',
  '# SHR AND',
  '# JUMPI',
  '# ADD',
  '# MUL',
  '# AND',
  '# SHL',
  '# SHR',
  '# MLOAD',
  '# MSTORE',
  '# #',
  '# DUP1',
  '# DUP2',
  '@ JUMPI',
  '@ JUMP',
  'DUP1 #4 EQ @ JUMPI',
  'DUP1 ISZERO @ JUMPI',
  'DUP1 MLOAD',
  'DUP2 ISZERO ISZERO @ JUMPI',
  'DUP2 LT ISZERO @ JUMPI',
  'DUP2 MSTORE',
  'DUP2 ADD',
  'DUP2 DUP2',
  'DUP3 AND',
  'DUP4 AND',
  'SWAP1 POP',
  'SWAP1 MSTORE',
  'SWAP2 POP',
  'SWAP3 POP',
  'SWAP4 POP',
  'SWAP5 POP',
].map((idiom) => idiom.split(' '))
