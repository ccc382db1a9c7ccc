/**
 * The opcodes: four bytes a row (words taken, words left in their place, constant gas in units of
 * one, saturated to 255, first revision + 1; 0 = unassigned). Dynamic and revision-dependent gas is
 * charged by the instruction. host/engine/opcode.ts holds the names; a test compares the two.
 */
// biome-ignore format: rows of a table
const ROWS: usize = memory.data<u8>([
  0, 0, 0, 1, // 0x00 STOP
  2, 1, 3, 1, // 0x01 ADD
  2, 1, 5, 1, // 0x02 MUL
  2, 1, 3, 1, // 0x03 SUB
  2, 1, 5, 1, // 0x04 DIV
  2, 1, 5, 1, // 0x05 SDIV
  2, 1, 5, 1, // 0x06 MOD
  2, 1, 5, 1, // 0x07 SMOD
  3, 1, 8, 1, // 0x08 ADDMOD
  3, 1, 8, 1, // 0x09 MULMOD
  2, 1, 10, 1, // 0x0a EXP
  2, 1, 5, 1, // 0x0b SIGNEXTEND
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  2, 1, 3, 1, // 0x10 LT
  2, 1, 3, 1, // 0x11 GT
  2, 1, 3, 1, // 0x12 SLT
  2, 1, 3, 1, // 0x13 SGT
  2, 1, 3, 1, // 0x14 EQ
  1, 1, 3, 1, // 0x15 ISZERO
  2, 1, 3, 1, // 0x16 AND
  2, 1, 3, 1, // 0x17 OR
  2, 1, 3, 1, // 0x18 XOR
  1, 1, 3, 1, // 0x19 NOT
  2, 1, 3, 1, // 0x1a BYTE
  2, 1, 3, 6, // 0x1b SHL
  2, 1, 3, 6, // 0x1c SHR
  2, 1, 3, 6, // 0x1d SAR
  1, 1, 5, 15, // 0x1e CLZ
  0, 0, 0, 0,
  2, 1, 30, 1, // 0x20 KECCAK256
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 1, // 0x30 ADDRESS
  1, 1, 0, 1, // 0x31 BALANCE
  0, 1, 2, 1, // 0x32 ORIGIN
  0, 1, 2, 1, // 0x33 CALLER
  0, 1, 2, 1, // 0x34 CALLVALUE
  1, 1, 3, 1, // 0x35 CALLDATALOAD
  0, 1, 2, 1, // 0x36 CALLDATASIZE
  3, 0, 3, 1, // 0x37 CALLDATACOPY
  0, 1, 2, 1, // 0x38 CODESIZE
  3, 0, 3, 1, // 0x39 CODECOPY
  0, 1, 2, 1, // 0x3a GASPRICE
  1, 1, 0, 1, // 0x3b EXTCODESIZE
  4, 0, 0, 1, // 0x3c EXTCODECOPY
  0, 1, 2, 5, // 0x3d RETURNDATASIZE
  3, 0, 3, 5, // 0x3e RETURNDATACOPY
  1, 1, 0, 6, // 0x3f EXTCODEHASH
  1, 1, 20, 1, // 0x40 BLOCKHASH
  0, 1, 2, 1, // 0x41 COINBASE
  0, 1, 2, 1, // 0x42 TIMESTAMP
  0, 1, 2, 1, // 0x43 NUMBER
  0, 1, 2, 1, // 0x44 PREVRANDAO
  0, 1, 2, 1, // 0x45 GASLIMIT
  0, 1, 2, 8, // 0x46 CHAINID
  0, 1, 5, 8, // 0x47 SELFBALANCE
  0, 1, 2, 10, // 0x48 BASEFEE
  1, 1, 3, 13, // 0x49 BLOBHASH
  0, 1, 2, 13, // 0x4a BLOBBASEFEE
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  1, 0, 2, 1, // 0x50 POP
  1, 1, 3, 1, // 0x51 MLOAD
  2, 0, 3, 1, // 0x52 MSTORE
  2, 0, 3, 1, // 0x53 MSTORE8
  1, 1, 0, 1, // 0x54 SLOAD
  2, 0, 0, 1, // 0x55 SSTORE
  1, 0, 8, 1, // 0x56 JUMP
  2, 0, 10, 1, // 0x57 JUMPI
  0, 1, 2, 1, // 0x58 PC
  0, 1, 2, 1, // 0x59 MSIZE
  0, 1, 2, 1, // 0x5a GAS
  0, 0, 1, 1, // 0x5b JUMPDEST
  1, 1, 100, 13, // 0x5c TLOAD
  2, 0, 100, 13, // 0x5d TSTORE
  3, 0, 3, 13, // 0x5e MCOPY
  0, 1, 2, 12, // 0x5f PUSH0
  0, 1, 3, 1, // 0x60 PUSH1
  0, 1, 3, 1, // 0x61 PUSH2
  0, 1, 3, 1, // 0x62 PUSH3
  0, 1, 3, 1, // 0x63 PUSH4
  0, 1, 3, 1, // 0x64 PUSH5
  0, 1, 3, 1, // 0x65 PUSH6
  0, 1, 3, 1, // 0x66 PUSH7
  0, 1, 3, 1, // 0x67 PUSH8
  0, 1, 3, 1, // 0x68 PUSH9
  0, 1, 3, 1, // 0x69 PUSH10
  0, 1, 3, 1, // 0x6a PUSH11
  0, 1, 3, 1, // 0x6b PUSH12
  0, 1, 3, 1, // 0x6c PUSH13
  0, 1, 3, 1, // 0x6d PUSH14
  0, 1, 3, 1, // 0x6e PUSH15
  0, 1, 3, 1, // 0x6f PUSH16
  0, 1, 3, 1, // 0x70 PUSH17
  0, 1, 3, 1, // 0x71 PUSH18
  0, 1, 3, 1, // 0x72 PUSH19
  0, 1, 3, 1, // 0x73 PUSH20
  0, 1, 3, 1, // 0x74 PUSH21
  0, 1, 3, 1, // 0x75 PUSH22
  0, 1, 3, 1, // 0x76 PUSH23
  0, 1, 3, 1, // 0x77 PUSH24
  0, 1, 3, 1, // 0x78 PUSH25
  0, 1, 3, 1, // 0x79 PUSH26
  0, 1, 3, 1, // 0x7a PUSH27
  0, 1, 3, 1, // 0x7b PUSH28
  0, 1, 3, 1, // 0x7c PUSH29
  0, 1, 3, 1, // 0x7d PUSH30
  0, 1, 3, 1, // 0x7e PUSH31
  0, 1, 3, 1, // 0x7f PUSH32
  1, 2, 3, 1, // 0x80 DUP1
  2, 3, 3, 1, // 0x81 DUP2
  3, 4, 3, 1, // 0x82 DUP3
  4, 5, 3, 1, // 0x83 DUP4
  5, 6, 3, 1, // 0x84 DUP5
  6, 7, 3, 1, // 0x85 DUP6
  7, 8, 3, 1, // 0x86 DUP7
  8, 9, 3, 1, // 0x87 DUP8
  9, 10, 3, 1, // 0x88 DUP9
  10, 11, 3, 1, // 0x89 DUP10
  11, 12, 3, 1, // 0x8a DUP11
  12, 13, 3, 1, // 0x8b DUP12
  13, 14, 3, 1, // 0x8c DUP13
  14, 15, 3, 1, // 0x8d DUP14
  15, 16, 3, 1, // 0x8e DUP15
  16, 17, 3, 1, // 0x8f DUP16
  2, 2, 3, 1, // 0x90 SWAP1
  3, 3, 3, 1, // 0x91 SWAP2
  4, 4, 3, 1, // 0x92 SWAP3
  5, 5, 3, 1, // 0x93 SWAP4
  6, 6, 3, 1, // 0x94 SWAP5
  7, 7, 3, 1, // 0x95 SWAP6
  8, 8, 3, 1, // 0x96 SWAP7
  9, 9, 3, 1, // 0x97 SWAP8
  10, 10, 3, 1, // 0x98 SWAP9
  11, 11, 3, 1, // 0x99 SWAP10
  12, 12, 3, 1, // 0x9a SWAP11
  13, 13, 3, 1, // 0x9b SWAP12
  14, 14, 3, 1, // 0x9c SWAP13
  15, 15, 3, 1, // 0x9d SWAP14
  16, 16, 3, 1, // 0x9e SWAP15
  17, 17, 3, 1, // 0x9f SWAP16
  2, 0, 255, 1, // 0xa0 LOG0
  3, 0, 255, 1, // 0xa1 LOG1
  4, 0, 255, 1, // 0xa2 LOG2
  5, 0, 255, 1, // 0xa3 LOG3
  6, 0, 255, 1, // 0xa4 LOG4
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  3, 1, 255, 1, // 0xf0 CREATE
  7, 1, 0, 1, // 0xf1 CALL
  7, 1, 0, 1, // 0xf2 CALLCODE
  2, 0, 0, 1, // 0xf3 RETURN
  6, 1, 0, 2, // 0xf4 DELEGATECALL
  4, 1, 255, 6, // 0xf5 CREATE2
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  6, 1, 0, 5, // 0xfa STATICCALL
  0, 0, 0, 0, 0, 0, 0, 0,
  2, 0, 0, 5, // 0xfd REVERT
  0, 0, 0, 1, // 0xfe INVALID
  1, 0, 0, 1, // 0xff SELFDESTRUCT
])

@inline
export function wordsTaken(opcode: u32): u32 {
  return load<u8>(ROWS + (opcode << 2))
}

@inline
export function wordsLeft(opcode: u32): u32 {
  return load<u8>(ROWS + (opcode << 2), 1)
}

/** Gas that the opcode takes at least, up to 255. */
@inline
export function constantGas(opcode: u32): u32 {
  return load<u8>(ROWS + (opcode << 2), 2)
}

/** True when the revision assigns the opcode. */
@inline
export function isDefined(opcode: u32, revision: i32): bool {
  const since = i32(load<u8>(ROWS + (opcode << 2), 3))
  return since != 0 && since <= revision + 1
}

/** Bytes that follow the opcode in the code: 1 to 32 for PUSH1 to PUSH32. */
@inline
export function immediateLength(opcode: u32): u32 {
  return opcode - 0x60 < 32 ? opcode - 0x5f : 0
}
