// Written by tools/generate-tables.ts from tools/tables/opcode.ts; do not edit.

// For each opcode its byte, its constant gas and the bytes of the words that it takes from the stack.
// Zero values have no constant.
export const STOP: u32 = 0x00
export const ADD: u32 = 0x01
export const ADD_GAS: i64 = 3
export const ADD_TAKEN: usize = 64
export const MUL: u32 = 0x02
export const MUL_GAS: i64 = 5
export const MUL_TAKEN: usize = 64
export const SUB: u32 = 0x03
export const SUB_GAS: i64 = 3
export const SUB_TAKEN: usize = 64
export const DIV: u32 = 0x04
export const DIV_GAS: i64 = 5
export const DIV_TAKEN: usize = 64
export const SDIV: u32 = 0x05
export const SDIV_GAS: i64 = 5
export const SDIV_TAKEN: usize = 64
export const MOD: u32 = 0x06
export const MOD_GAS: i64 = 5
export const MOD_TAKEN: usize = 64
export const SMOD: u32 = 0x07
export const SMOD_GAS: i64 = 5
export const SMOD_TAKEN: usize = 64
export const ADDMOD: u32 = 0x08
export const ADDMOD_GAS: i64 = 8
export const ADDMOD_TAKEN: usize = 96
export const MULMOD: u32 = 0x09
export const MULMOD_GAS: i64 = 8
export const MULMOD_TAKEN: usize = 96
export const EXP: u32 = 0x0a
export const EXP_GAS: i64 = 10
export const EXP_TAKEN: usize = 64
export const SIGNEXTEND: u32 = 0x0b
export const SIGNEXTEND_GAS: i64 = 5
export const SIGNEXTEND_TAKEN: usize = 64
export const LT: u32 = 0x10
export const LT_GAS: i64 = 3
export const LT_TAKEN: usize = 64
export const GT: u32 = 0x11
export const GT_GAS: i64 = 3
export const GT_TAKEN: usize = 64
export const SLT: u32 = 0x12
export const SLT_GAS: i64 = 3
export const SLT_TAKEN: usize = 64
export const SGT: u32 = 0x13
export const SGT_GAS: i64 = 3
export const SGT_TAKEN: usize = 64
export const EQ: u32 = 0x14
export const EQ_GAS: i64 = 3
export const EQ_TAKEN: usize = 64
export const ISZERO: u32 = 0x15
export const ISZERO_GAS: i64 = 3
export const ISZERO_TAKEN: usize = 32
export const AND: u32 = 0x16
export const AND_GAS: i64 = 3
export const AND_TAKEN: usize = 64
export const OR: u32 = 0x17
export const OR_GAS: i64 = 3
export const OR_TAKEN: usize = 64
export const XOR: u32 = 0x18
export const XOR_GAS: i64 = 3
export const XOR_TAKEN: usize = 64
export const NOT: u32 = 0x19
export const NOT_GAS: i64 = 3
export const NOT_TAKEN: usize = 32
export const BYTE: u32 = 0x1a
export const BYTE_GAS: i64 = 3
export const BYTE_TAKEN: usize = 64
export const SHL: u32 = 0x1b
export const SHL_GAS: i64 = 3
export const SHL_TAKEN: usize = 64
export const SHR: u32 = 0x1c
export const SHR_GAS: i64 = 3
export const SHR_TAKEN: usize = 64
export const SAR: u32 = 0x1d
export const SAR_GAS: i64 = 3
export const SAR_TAKEN: usize = 64
export const CLZ: u32 = 0x1e
export const CLZ_GAS: i64 = 5
export const CLZ_TAKEN: usize = 32
export const KECCAK256: u32 = 0x20
export const KECCAK256_GAS: i64 = 30
export const KECCAK256_TAKEN: usize = 64
export const ADDRESS: u32 = 0x30
export const ADDRESS_GAS: i64 = 2
export const BALANCE: u32 = 0x31
export const BALANCE_TAKEN: usize = 32
export const ORIGIN: u32 = 0x32
export const ORIGIN_GAS: i64 = 2
export const CALLER: u32 = 0x33
export const CALLER_GAS: i64 = 2
export const CALLVALUE: u32 = 0x34
export const CALLVALUE_GAS: i64 = 2
export const CALLDATALOAD: u32 = 0x35
export const CALLDATALOAD_GAS: i64 = 3
export const CALLDATALOAD_TAKEN: usize = 32
export const CALLDATASIZE: u32 = 0x36
export const CALLDATASIZE_GAS: i64 = 2
export const CALLDATACOPY: u32 = 0x37
export const CALLDATACOPY_GAS: i64 = 3
export const CALLDATACOPY_TAKEN: usize = 96
export const CODESIZE: u32 = 0x38
export const CODESIZE_GAS: i64 = 2
export const CODECOPY: u32 = 0x39
export const CODECOPY_GAS: i64 = 3
export const CODECOPY_TAKEN: usize = 96
export const GASPRICE: u32 = 0x3a
export const GASPRICE_GAS: i64 = 2
export const EXTCODESIZE: u32 = 0x3b
export const EXTCODESIZE_TAKEN: usize = 32
export const EXTCODECOPY: u32 = 0x3c
export const EXTCODECOPY_TAKEN: usize = 128
export const RETURNDATASIZE: u32 = 0x3d
export const RETURNDATASIZE_GAS: i64 = 2
export const RETURNDATACOPY: u32 = 0x3e
export const RETURNDATACOPY_GAS: i64 = 3
export const RETURNDATACOPY_TAKEN: usize = 96
export const EXTCODEHASH: u32 = 0x3f
export const EXTCODEHASH_TAKEN: usize = 32
export const BLOCKHASH: u32 = 0x40
export const BLOCKHASH_GAS: i64 = 20
export const BLOCKHASH_TAKEN: usize = 32
export const COINBASE: u32 = 0x41
export const COINBASE_GAS: i64 = 2
export const TIMESTAMP: u32 = 0x42
export const TIMESTAMP_GAS: i64 = 2
export const NUMBER: u32 = 0x43
export const NUMBER_GAS: i64 = 2
export const PREVRANDAO: u32 = 0x44
export const PREVRANDAO_GAS: i64 = 2
export const GASLIMIT: u32 = 0x45
export const GASLIMIT_GAS: i64 = 2
export const CHAINID: u32 = 0x46
export const CHAINID_GAS: i64 = 2
export const SELFBALANCE: u32 = 0x47
export const SELFBALANCE_GAS: i64 = 5
export const BASEFEE: u32 = 0x48
export const BASEFEE_GAS: i64 = 2
export const BLOBHASH: u32 = 0x49
export const BLOBHASH_GAS: i64 = 3
export const BLOBHASH_TAKEN: usize = 32
export const BLOBBASEFEE: u32 = 0x4a
export const BLOBBASEFEE_GAS: i64 = 2
export const SLOTNUM: u32 = 0x4b
export const SLOTNUM_GAS: i64 = 2
export const POP: u32 = 0x50
export const POP_GAS: i64 = 2
export const POP_TAKEN: usize = 32
export const MLOAD: u32 = 0x51
export const MLOAD_GAS: i64 = 3
export const MLOAD_TAKEN: usize = 32
export const MSTORE: u32 = 0x52
export const MSTORE_GAS: i64 = 3
export const MSTORE_TAKEN: usize = 64
export const MSTORE8: u32 = 0x53
export const MSTORE8_GAS: i64 = 3
export const MSTORE8_TAKEN: usize = 64
export const SLOAD: u32 = 0x54
export const SLOAD_TAKEN: usize = 32
export const SSTORE: u32 = 0x55
export const SSTORE_TAKEN: usize = 64
export const JUMP: u32 = 0x56
export const JUMP_GAS: i64 = 8
export const JUMP_TAKEN: usize = 32
export const JUMPI: u32 = 0x57
export const JUMPI_GAS: i64 = 10
export const JUMPI_TAKEN: usize = 64
export const PC: u32 = 0x58
export const PC_GAS: i64 = 2
export const MSIZE: u32 = 0x59
export const MSIZE_GAS: i64 = 2
export const GAS: u32 = 0x5a
export const GAS_GAS: i64 = 2
export const JUMPDEST: u32 = 0x5b
export const JUMPDEST_GAS: i64 = 1
export const TLOAD: u32 = 0x5c
export const TLOAD_GAS: i64 = 100
export const TLOAD_TAKEN: usize = 32
export const TSTORE: u32 = 0x5d
export const TSTORE_GAS: i64 = 100
export const TSTORE_TAKEN: usize = 64
export const MCOPY: u32 = 0x5e
export const MCOPY_GAS: i64 = 3
export const MCOPY_TAKEN: usize = 96
export const PUSH0: u32 = 0x5f
export const PUSH0_GAS: i64 = 2
export const PUSH1: u32 = 0x60
export const PUSH1_GAS: i64 = 3
export const PUSH2: u32 = 0x61
export const PUSH2_GAS: i64 = 3
export const PUSH3: u32 = 0x62
export const PUSH3_GAS: i64 = 3
export const PUSH4: u32 = 0x63
export const PUSH4_GAS: i64 = 3
export const PUSH5: u32 = 0x64
export const PUSH5_GAS: i64 = 3
export const PUSH6: u32 = 0x65
export const PUSH6_GAS: i64 = 3
export const PUSH7: u32 = 0x66
export const PUSH7_GAS: i64 = 3
export const PUSH8: u32 = 0x67
export const PUSH8_GAS: i64 = 3
export const PUSH9: u32 = 0x68
export const PUSH9_GAS: i64 = 3
export const PUSH10: u32 = 0x69
export const PUSH10_GAS: i64 = 3
export const PUSH11: u32 = 0x6a
export const PUSH11_GAS: i64 = 3
export const PUSH12: u32 = 0x6b
export const PUSH12_GAS: i64 = 3
export const PUSH13: u32 = 0x6c
export const PUSH13_GAS: i64 = 3
export const PUSH14: u32 = 0x6d
export const PUSH14_GAS: i64 = 3
export const PUSH15: u32 = 0x6e
export const PUSH15_GAS: i64 = 3
export const PUSH16: u32 = 0x6f
export const PUSH16_GAS: i64 = 3
export const PUSH17: u32 = 0x70
export const PUSH17_GAS: i64 = 3
export const PUSH18: u32 = 0x71
export const PUSH18_GAS: i64 = 3
export const PUSH19: u32 = 0x72
export const PUSH19_GAS: i64 = 3
export const PUSH20: u32 = 0x73
export const PUSH20_GAS: i64 = 3
export const PUSH21: u32 = 0x74
export const PUSH21_GAS: i64 = 3
export const PUSH22: u32 = 0x75
export const PUSH22_GAS: i64 = 3
export const PUSH23: u32 = 0x76
export const PUSH23_GAS: i64 = 3
export const PUSH24: u32 = 0x77
export const PUSH24_GAS: i64 = 3
export const PUSH25: u32 = 0x78
export const PUSH25_GAS: i64 = 3
export const PUSH26: u32 = 0x79
export const PUSH26_GAS: i64 = 3
export const PUSH27: u32 = 0x7a
export const PUSH27_GAS: i64 = 3
export const PUSH28: u32 = 0x7b
export const PUSH28_GAS: i64 = 3
export const PUSH29: u32 = 0x7c
export const PUSH29_GAS: i64 = 3
export const PUSH30: u32 = 0x7d
export const PUSH30_GAS: i64 = 3
export const PUSH31: u32 = 0x7e
export const PUSH31_GAS: i64 = 3
export const PUSH32: u32 = 0x7f
export const PUSH32_GAS: i64 = 3
export const DUP1: u32 = 0x80
export const DUP1_GAS: i64 = 3
export const DUP1_TAKEN: usize = 32
export const DUP2: u32 = 0x81
export const DUP2_GAS: i64 = 3
export const DUP2_TAKEN: usize = 64
export const DUP3: u32 = 0x82
export const DUP3_GAS: i64 = 3
export const DUP3_TAKEN: usize = 96
export const DUP4: u32 = 0x83
export const DUP4_GAS: i64 = 3
export const DUP4_TAKEN: usize = 128
export const DUP5: u32 = 0x84
export const DUP5_GAS: i64 = 3
export const DUP5_TAKEN: usize = 160
export const DUP6: u32 = 0x85
export const DUP6_GAS: i64 = 3
export const DUP6_TAKEN: usize = 192
export const DUP7: u32 = 0x86
export const DUP7_GAS: i64 = 3
export const DUP7_TAKEN: usize = 224
export const DUP8: u32 = 0x87
export const DUP8_GAS: i64 = 3
export const DUP8_TAKEN: usize = 256
export const DUP9: u32 = 0x88
export const DUP9_GAS: i64 = 3
export const DUP9_TAKEN: usize = 288
export const DUP10: u32 = 0x89
export const DUP10_GAS: i64 = 3
export const DUP10_TAKEN: usize = 320
export const DUP11: u32 = 0x8a
export const DUP11_GAS: i64 = 3
export const DUP11_TAKEN: usize = 352
export const DUP12: u32 = 0x8b
export const DUP12_GAS: i64 = 3
export const DUP12_TAKEN: usize = 384
export const DUP13: u32 = 0x8c
export const DUP13_GAS: i64 = 3
export const DUP13_TAKEN: usize = 416
export const DUP14: u32 = 0x8d
export const DUP14_GAS: i64 = 3
export const DUP14_TAKEN: usize = 448
export const DUP15: u32 = 0x8e
export const DUP15_GAS: i64 = 3
export const DUP15_TAKEN: usize = 480
export const DUP16: u32 = 0x8f
export const DUP16_GAS: i64 = 3
export const DUP16_TAKEN: usize = 512
export const SWAP1: u32 = 0x90
export const SWAP1_GAS: i64 = 3
export const SWAP1_TAKEN: usize = 64
export const SWAP2: u32 = 0x91
export const SWAP2_GAS: i64 = 3
export const SWAP2_TAKEN: usize = 96
export const SWAP3: u32 = 0x92
export const SWAP3_GAS: i64 = 3
export const SWAP3_TAKEN: usize = 128
export const SWAP4: u32 = 0x93
export const SWAP4_GAS: i64 = 3
export const SWAP4_TAKEN: usize = 160
export const SWAP5: u32 = 0x94
export const SWAP5_GAS: i64 = 3
export const SWAP5_TAKEN: usize = 192
export const SWAP6: u32 = 0x95
export const SWAP6_GAS: i64 = 3
export const SWAP6_TAKEN: usize = 224
export const SWAP7: u32 = 0x96
export const SWAP7_GAS: i64 = 3
export const SWAP7_TAKEN: usize = 256
export const SWAP8: u32 = 0x97
export const SWAP8_GAS: i64 = 3
export const SWAP8_TAKEN: usize = 288
export const SWAP9: u32 = 0x98
export const SWAP9_GAS: i64 = 3
export const SWAP9_TAKEN: usize = 320
export const SWAP10: u32 = 0x99
export const SWAP10_GAS: i64 = 3
export const SWAP10_TAKEN: usize = 352
export const SWAP11: u32 = 0x9a
export const SWAP11_GAS: i64 = 3
export const SWAP11_TAKEN: usize = 384
export const SWAP12: u32 = 0x9b
export const SWAP12_GAS: i64 = 3
export const SWAP12_TAKEN: usize = 416
export const SWAP13: u32 = 0x9c
export const SWAP13_GAS: i64 = 3
export const SWAP13_TAKEN: usize = 448
export const SWAP14: u32 = 0x9d
export const SWAP14_GAS: i64 = 3
export const SWAP14_TAKEN: usize = 480
export const SWAP15: u32 = 0x9e
export const SWAP15_GAS: i64 = 3
export const SWAP15_TAKEN: usize = 512
export const SWAP16: u32 = 0x9f
export const SWAP16_GAS: i64 = 3
export const SWAP16_TAKEN: usize = 544
export const LOG0: u32 = 0xa0
export const LOG0_GAS: i64 = 375
export const LOG0_TAKEN: usize = 64
export const LOG1: u32 = 0xa1
export const LOG1_GAS: i64 = 375
export const LOG1_TAKEN: usize = 96
export const LOG2: u32 = 0xa2
export const LOG2_GAS: i64 = 375
export const LOG2_TAKEN: usize = 128
export const LOG3: u32 = 0xa3
export const LOG3_GAS: i64 = 375
export const LOG3_TAKEN: usize = 160
export const LOG4: u32 = 0xa4
export const LOG4_GAS: i64 = 375
export const LOG4_TAKEN: usize = 192
export const DUPN: u32 = 0xe6
export const DUPN_GAS: i64 = 3
export const DUPN_TAKEN: usize = 32
export const SWAPN: u32 = 0xe7
export const SWAPN_GAS: i64 = 3
export const SWAPN_TAKEN: usize = 64
export const EXCHANGE: u32 = 0xe8
export const EXCHANGE_GAS: i64 = 3
export const EXCHANGE_TAKEN: usize = 64
export const CREATE: u32 = 0xf0
export const CREATE_GAS: i64 = 12000
export const CREATE_TAKEN: usize = 96
export const CALL: u32 = 0xf1
export const CALL_TAKEN: usize = 224
export const CALLCODE: u32 = 0xf2
export const CALLCODE_TAKEN: usize = 224
export const RETURN: u32 = 0xf3
export const RETURN_TAKEN: usize = 64
export const DELEGATECALL: u32 = 0xf4
export const DELEGATECALL_TAKEN: usize = 192
export const CREATE2: u32 = 0xf5
export const CREATE2_GAS: i64 = 12000
export const CREATE2_TAKEN: usize = 128
export const STATICCALL: u32 = 0xfa
export const STATICCALL_TAKEN: usize = 192
export const REVERT: u32 = 0xfd
export const REVERT_TAKEN: usize = 64
export const INVALID: u32 = 0xfe
export const SELFDESTRUCT: u32 = 0xff
export const SELFDESTRUCT_TAKEN: usize = 32

/**
 * Four bytes for each code: words taken, words left, constant gas saturated to 255, first
 * revision + 1; 0 = unassigned.
 */
export const OPCODE_ROWS: usize = memory.data<u8>([
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
  0, 0, 0, 0, // 0x0c
  0, 0, 0, 0, // 0x0d
  0, 0, 0, 0, // 0x0e
  0, 0, 0, 0, // 0x0f
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
  0, 0, 0, 0, // 0x1f
  2, 1, 30, 1, // 0x20 KECCAK256
  0, 0, 0, 0, // 0x21
  0, 0, 0, 0, // 0x22
  0, 0, 0, 0, // 0x23
  0, 0, 0, 0, // 0x24
  0, 0, 0, 0, // 0x25
  0, 0, 0, 0, // 0x26
  0, 0, 0, 0, // 0x27
  0, 0, 0, 0, // 0x28
  0, 0, 0, 0, // 0x29
  0, 0, 0, 0, // 0x2a
  0, 0, 0, 0, // 0x2b
  0, 0, 0, 0, // 0x2c
  0, 0, 0, 0, // 0x2d
  0, 0, 0, 0, // 0x2e
  0, 0, 0, 0, // 0x2f
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
  0, 1, 2, 16, // 0x4b SLOTNUM
  0, 0, 0, 0, // 0x4c
  0, 0, 0, 0, // 0x4d
  0, 0, 0, 0, // 0x4e
  0, 0, 0, 0, // 0x4f
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
  0, 0, 0, 0, // 0xa5
  0, 0, 0, 0, // 0xa6
  0, 0, 0, 0, // 0xa7
  0, 0, 0, 0, // 0xa8
  0, 0, 0, 0, // 0xa9
  0, 0, 0, 0, // 0xaa
  0, 0, 0, 0, // 0xab
  0, 0, 0, 0, // 0xac
  0, 0, 0, 0, // 0xad
  0, 0, 0, 0, // 0xae
  0, 0, 0, 0, // 0xaf
  0, 0, 0, 0, // 0xb0
  0, 0, 0, 0, // 0xb1
  0, 0, 0, 0, // 0xb2
  0, 0, 0, 0, // 0xb3
  0, 0, 0, 0, // 0xb4
  0, 0, 0, 0, // 0xb5
  0, 0, 0, 0, // 0xb6
  0, 0, 0, 0, // 0xb7
  0, 0, 0, 0, // 0xb8
  0, 0, 0, 0, // 0xb9
  0, 0, 0, 0, // 0xba
  0, 0, 0, 0, // 0xbb
  0, 0, 0, 0, // 0xbc
  0, 0, 0, 0, // 0xbd
  0, 0, 0, 0, // 0xbe
  0, 0, 0, 0, // 0xbf
  0, 0, 0, 0, // 0xc0
  0, 0, 0, 0, // 0xc1
  0, 0, 0, 0, // 0xc2
  0, 0, 0, 0, // 0xc3
  0, 0, 0, 0, // 0xc4
  0, 0, 0, 0, // 0xc5
  0, 0, 0, 0, // 0xc6
  0, 0, 0, 0, // 0xc7
  0, 0, 0, 0, // 0xc8
  0, 0, 0, 0, // 0xc9
  0, 0, 0, 0, // 0xca
  0, 0, 0, 0, // 0xcb
  0, 0, 0, 0, // 0xcc
  0, 0, 0, 0, // 0xcd
  0, 0, 0, 0, // 0xce
  0, 0, 0, 0, // 0xcf
  0, 0, 0, 0, // 0xd0
  0, 0, 0, 0, // 0xd1
  0, 0, 0, 0, // 0xd2
  0, 0, 0, 0, // 0xd3
  0, 0, 0, 0, // 0xd4
  0, 0, 0, 0, // 0xd5
  0, 0, 0, 0, // 0xd6
  0, 0, 0, 0, // 0xd7
  0, 0, 0, 0, // 0xd8
  0, 0, 0, 0, // 0xd9
  0, 0, 0, 0, // 0xda
  0, 0, 0, 0, // 0xdb
  0, 0, 0, 0, // 0xdc
  0, 0, 0, 0, // 0xdd
  0, 0, 0, 0, // 0xde
  0, 0, 0, 0, // 0xdf
  0, 0, 0, 0, // 0xe0
  0, 0, 0, 0, // 0xe1
  0, 0, 0, 0, // 0xe2
  0, 0, 0, 0, // 0xe3
  0, 0, 0, 0, // 0xe4
  0, 0, 0, 0, // 0xe5
  1, 2, 3, 16, // 0xe6 DUPN
  2, 2, 3, 16, // 0xe7 SWAPN
  2, 2, 3, 16, // 0xe8 EXCHANGE
  0, 0, 0, 0, // 0xe9
  0, 0, 0, 0, // 0xea
  0, 0, 0, 0, // 0xeb
  0, 0, 0, 0, // 0xec
  0, 0, 0, 0, // 0xed
  0, 0, 0, 0, // 0xee
  0, 0, 0, 0, // 0xef
  3, 1, 255, 1, // 0xf0 CREATE
  7, 1, 0, 1, // 0xf1 CALL
  7, 1, 0, 1, // 0xf2 CALLCODE
  2, 0, 0, 1, // 0xf3 RETURN
  6, 1, 0, 2, // 0xf4 DELEGATECALL
  4, 1, 255, 6, // 0xf5 CREATE2
  0, 0, 0, 0, // 0xf6
  0, 0, 0, 0, // 0xf7
  0, 0, 0, 0, // 0xf8
  0, 0, 0, 0, // 0xf9
  6, 1, 0, 5, // 0xfa STATICCALL
  0, 0, 0, 0, // 0xfb
  0, 0, 0, 0, // 0xfc
  2, 0, 0, 5, // 0xfd REVERT
  0, 0, 0, 1, // 0xfe INVALID
  1, 0, 0, 1, // 0xff SELFDESTRUCT
])
