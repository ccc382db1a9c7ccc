// Written by tools/generate-tables.ts from tools/tables/superinstruction.ts; do not edit.

// For each superinstruction its byte, the constant gas of all its opcodes, and the bytes of the words that
// must be on the stack before, and of its maximum growth.
export const ADD_SWAP1_POP: u32 = 0xc1
export const ADD_SWAP1_POP_GAS: i64 = 8
export const ADD_SWAP1_POP_TAKEN: usize = 96
export const ADD_MLOAD: u32 = 0xc0
export const ADD_MLOAD_GAS: i64 = 6
export const ADD_MLOAD_TAKEN: usize = 64
export const LT_ISZERO_PUSHN_JUMPI: u32 = 0x4e
export const LT_ISZERO_PUSHN_JUMPI_GAS: i64 = 19
export const LT_ISZERO_PUSHN_JUMPI_TAKEN: usize = 64
export const LT_PUSHN_JUMPI: u32 = 0x4d
export const LT_PUSHN_JUMPI_GAS: i64 = 16
export const LT_PUSHN_JUMPI_TAKEN: usize = 64
export const GT_ISZERO_PUSHN_JUMPI: u32 = 0xa5
export const GT_ISZERO_PUSHN_JUMPI_GAS: i64 = 19
export const GT_ISZERO_PUSHN_JUMPI_TAKEN: usize = 64
export const GT_PUSHN_JUMPI: u32 = 0x4f
export const GT_PUSHN_JUMPI_GAS: i64 = 16
export const GT_PUSHN_JUMPI_TAKEN: usize = 64
export const SLT_ISZERO_PUSHN_JUMPI: u32 = 0xa7
export const SLT_ISZERO_PUSHN_JUMPI_GAS: i64 = 19
export const SLT_ISZERO_PUSHN_JUMPI_TAKEN: usize = 64
export const EQ_PUSHN_JUMPI: u32 = 0xa6
export const EQ_PUSHN_JUMPI_GAS: i64 = 16
export const EQ_PUSHN_JUMPI_TAKEN: usize = 64
export const ISZERO_ISZERO_PUSHN_JUMPI: u32 = 0xaa
export const ISZERO_ISZERO_PUSHN_JUMPI_GAS: i64 = 19
export const ISZERO_ISZERO_PUSHN_JUMPI_TAKEN: usize = 32
export const ISZERO_ISZERO_PUSHN_JUMPI_GROWTH: usize = 32
export const ISZERO_PUSHN_JUMPI: u32 = 0xa9
export const ISZERO_PUSHN_JUMPI_GAS: i64 = 16
export const ISZERO_PUSHN_JUMPI_TAKEN: usize = 32
export const ISZERO_PUSHN_JUMPI_GROWTH: usize = 32
export const AND_OR: u32 = 0xc2
export const AND_OR_GAS: i64 = 6
export const AND_OR_TAKEN: usize = 96
export const POP_POP: u32 = 0xbe
export const POP_POP_GAS: i64 = 4
export const POP_POP_TAKEN: usize = 64
export const PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI: u32 = 0x2b
export const PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_GAS: i64 = 25
export const PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_TAKEN: usize = 32
export const PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI_GROWTH: usize = 64
export const PUSH1_DUP2_LT_PUSHN_JUMPI: u32 = 0x2a
export const PUSH1_DUP2_LT_PUSHN_JUMPI_GAS: i64 = 22
export const PUSH1_DUP2_LT_PUSHN_JUMPI_TAKEN: usize = 32
export const PUSH1_DUP2_LT_PUSHN_JUMPI_GROWTH: usize = 64
export const PUSH1_DUP2_EQ_PUSHN_JUMPI: u32 = 0x2c
export const PUSH1_DUP2_EQ_PUSHN_JUMPI_GAS: i64 = 22
export const PUSH1_DUP2_EQ_PUSHN_JUMPI_TAKEN: usize = 32
export const PUSH1_DUP2_EQ_PUSHN_JUMPI_GROWTH: usize = 64
export const PUSH1_PUSH1_PUSH1_SHL_SUB: u32 = 0x25
export const PUSH1_PUSH1_PUSH1_SHL_SUB_GAS: i64 = 15
export const PUSH1_PUSH1_PUSH1_SHL_SUB_GROWTH: usize = 96
export const PUSH1_DUP1_MLOAD: u32 = 0x2d
export const PUSH1_DUP1_MLOAD_GAS: i64 = 9
export const PUSH1_DUP1_MLOAD_GROWTH: usize = 64
export const PUSH1_SHR_AND: u32 = 0xc3
export const PUSH1_SHR_AND_GAS: i64 = 9
export const PUSH1_SHR_AND_TAKEN: usize = 64
export const PUSH1_SHR_AND_GROWTH: usize = 32
export const PUSH1_JUMPI: u32 = 0x24
export const PUSH1_JUMPI_GAS: i64 = 13
export const PUSH1_JUMPI_TAKEN: usize = 32
export const PUSH1_JUMPI_GROWTH: usize = 32
export const PUSH1_JUMP: u32 = 0x23
export const PUSH1_JUMP_GAS: i64 = 11
export const PUSH1_JUMP_GROWTH: usize = 32
export const PUSH1_ADD: u32 = 0x0c
export const PUSH1_ADD_GAS: i64 = 6
export const PUSH1_ADD_TAKEN: usize = 32
export const PUSH1_ADD_GROWTH: usize = 32
export const PUSH1_MUL: u32 = 0x0f
export const PUSH1_MUL_GAS: i64 = 8
export const PUSH1_MUL_TAKEN: usize = 32
export const PUSH1_MUL_GROWTH: usize = 32
export const PUSH1_AND: u32 = 0x1f
export const PUSH1_AND_GAS: i64 = 6
export const PUSH1_AND_TAKEN: usize = 32
export const PUSH1_AND_GROWTH: usize = 32
export const PUSH1_SHL: u32 = 0x0d
export const PUSH1_SHL_GAS: i64 = 6
export const PUSH1_SHL_TAKEN: usize = 32
export const PUSH1_SHL_GROWTH: usize = 32
export const PUSH1_SHR: u32 = 0x0e
export const PUSH1_SHR_GAS: i64 = 6
export const PUSH1_SHR_TAKEN: usize = 32
export const PUSH1_SHR_GROWTH: usize = 32
export const PUSH1_MLOAD: u32 = 0x21
export const PUSH1_MLOAD_GAS: i64 = 6
export const PUSH1_MLOAD_GROWTH: usize = 32
export const PUSH1_MSTORE: u32 = 0x22
export const PUSH1_MSTORE_GAS: i64 = 6
export const PUSH1_MSTORE_TAKEN: usize = 32
export const PUSH1_MSTORE_GROWTH: usize = 32
export const PUSH1_PUSH1: u32 = 0x27
export const PUSH1_PUSH1_GAS: i64 = 6
export const PUSH1_PUSH1_GROWTH: usize = 64
export const PUSH1_DUP1: u32 = 0x28
export const PUSH1_DUP1_GAS: i64 = 6
export const PUSH1_DUP1_GROWTH: usize = 64
export const PUSH1_DUP2: u32 = 0x29
export const PUSH1_DUP2_GAS: i64 = 6
export const PUSH1_DUP2_TAKEN: usize = 32
export const PUSH1_DUP2_GROWTH: usize = 64
export const PUSH2_JUMPI: u32 = 0x26
export const PUSH2_JUMPI_GAS: i64 = 13
export const PUSH2_JUMPI_TAKEN: usize = 32
export const PUSH2_JUMPI_GROWTH: usize = 32
export const PUSH2_JUMP: u32 = 0x2f
export const PUSH2_JUMP_GAS: i64 = 11
export const PUSH2_JUMP_GROWTH: usize = 32
export const DUP1_PUSH4_EQ_PUSHN_JUMPI: u32 = 0xc5
export const DUP1_PUSH4_EQ_PUSHN_JUMPI_GAS: i64 = 22
export const DUP1_PUSH4_EQ_PUSHN_JUMPI_TAKEN: usize = 32
export const DUP1_PUSH4_EQ_PUSHN_JUMPI_GROWTH: usize = 64
export const DUP1_ISZERO_PUSHN_JUMPI: u32 = 0xab
export const DUP1_ISZERO_PUSHN_JUMPI_GAS: i64 = 19
export const DUP1_ISZERO_PUSHN_JUMPI_TAKEN: usize = 32
export const DUP1_ISZERO_PUSHN_JUMPI_GROWTH: usize = 64
export const DUP1_MLOAD: u32 = 0xaf
export const DUP1_MLOAD_GAS: i64 = 6
export const DUP1_MLOAD_TAKEN: usize = 32
export const DUP1_MLOAD_GROWTH: usize = 32
export const DUP2_ISZERO_ISZERO_PUSHN_JUMPI: u32 = 0xad
export const DUP2_ISZERO_ISZERO_PUSHN_JUMPI_GAS: i64 = 22
export const DUP2_ISZERO_ISZERO_PUSHN_JUMPI_TAKEN: usize = 64
export const DUP2_ISZERO_ISZERO_PUSHN_JUMPI_GROWTH: usize = 64
export const DUP2_LT_ISZERO_PUSHN_JUMPI: u32 = 0xac
export const DUP2_LT_ISZERO_PUSHN_JUMPI_GAS: i64 = 22
export const DUP2_LT_ISZERO_PUSHN_JUMPI_TAKEN: usize = 64
export const DUP2_LT_ISZERO_PUSHN_JUMPI_GROWTH: usize = 32
export const DUP2_MSTORE: u32 = 0xae
export const DUP2_MSTORE_GAS: i64 = 6
export const DUP2_MSTORE_TAKEN: usize = 64
export const DUP2_MSTORE_GROWTH: usize = 32
export const DUP2_ADD: u32 = 0xb0
export const DUP2_ADD_GAS: i64 = 6
export const DUP2_ADD_TAKEN: usize = 64
export const DUP2_ADD_GROWTH: usize = 32
export const DUP2_DUP2: u32 = 0xb4
export const DUP2_DUP2_GAS: i64 = 6
export const DUP2_DUP2_TAKEN: usize = 64
export const DUP2_DUP2_GROWTH: usize = 64
export const DUP3_AND: u32 = 0xb1
export const DUP3_AND_GAS: i64 = 6
export const DUP3_AND_TAKEN: usize = 96
export const DUP3_AND_GROWTH: usize = 32
export const DUP4_AND: u32 = 0xb2
export const DUP4_AND_GAS: i64 = 6
export const DUP4_AND_TAKEN: usize = 128
export const DUP4_AND_GROWTH: usize = 32
export const SWAP1_POP: u32 = 0xb8
export const SWAP1_POP_GAS: i64 = 5
export const SWAP1_POP_TAKEN: usize = 64
export const SWAP1_MSTORE: u32 = 0xbf
export const SWAP1_MSTORE_GAS: i64 = 6
export const SWAP1_MSTORE_TAKEN: usize = 64
export const SWAP2_POP: u32 = 0xb9
export const SWAP2_POP_GAS: i64 = 5
export const SWAP2_POP_TAKEN: usize = 96
export const SWAP3_POP: u32 = 0xba
export const SWAP3_POP_GAS: i64 = 5
export const SWAP3_POP_TAKEN: usize = 128
export const SWAP4_POP: u32 = 0xbb
export const SWAP4_POP_GAS: i64 = 5
export const SWAP4_POP_TAKEN: usize = 160
export const SWAP5_POP: u32 = 0xbc
export const SWAP5_POP_GAS: i64 = 5
export const SWAP5_POP_TAKEN: usize = 192
// Not a sequence: the JUMPDEST at which a compiled region begins.
export const REGION: u32 = 0x2e

/**
 * Eight bytes each: the code, the number of opcodes it replaces, and these. Rows with the same first opcode are
 * adjacent, longest first.
 */
export const SUPERINSTRUCTION_ROWS: usize = memory.data<u8>([
  0xc1, 3, 0x01, 0x90, 0x50, 0, 0, 0, // ADD_SWAP1_POP
  0xc0, 2, 0x01, 0x51, 0, 0, 0, 0, // ADD_MLOAD
  0x4e, 4, 0x10, 0x15, 0x61, 0x57, 0, 0, // LT_ISZERO_PUSHN_JUMPI
  0x4d, 3, 0x10, 0x61, 0x57, 0, 0, 0, // LT_PUSHN_JUMPI
  0xa5, 4, 0x11, 0x15, 0x61, 0x57, 0, 0, // GT_ISZERO_PUSHN_JUMPI
  0x4f, 3, 0x11, 0x61, 0x57, 0, 0, 0, // GT_PUSHN_JUMPI
  0xa7, 4, 0x12, 0x15, 0x61, 0x57, 0, 0, // SLT_ISZERO_PUSHN_JUMPI
  0xa6, 3, 0x14, 0x61, 0x57, 0, 0, 0, // EQ_PUSHN_JUMPI
  0xaa, 4, 0x15, 0x15, 0x61, 0x57, 0, 0, // ISZERO_ISZERO_PUSHN_JUMPI
  0xa9, 3, 0x15, 0x61, 0x57, 0, 0, 0, // ISZERO_PUSHN_JUMPI
  0xc2, 2, 0x16, 0x17, 0, 0, 0, 0, // AND_OR
  0xbe, 2, 0x50, 0x50, 0, 0, 0, 0, // POP_POP
  0x2b, 6, 0x60, 0x81, 0x10, 0x15, 0x61, 0x57, // PUSH1_DUP2_LT_ISZERO_PUSHN_JUMPI
  0x2a, 5, 0x60, 0x81, 0x10, 0x61, 0x57, 0, // PUSH1_DUP2_LT_PUSHN_JUMPI
  0x2c, 5, 0x60, 0x81, 0x14, 0x61, 0x57, 0, // PUSH1_DUP2_EQ_PUSHN_JUMPI
  0x25, 5, 0x60, 0x60, 0x60, 0x1b, 0x03, 0, // PUSH1_PUSH1_PUSH1_SHL_SUB
  0x2d, 3, 0x60, 0x80, 0x51, 0, 0, 0, // PUSH1_DUP1_MLOAD
  0xc3, 3, 0x60, 0x1c, 0x16, 0, 0, 0, // PUSH1_SHR_AND
  0x24, 2, 0x60, 0x57, 0, 0, 0, 0, // PUSH1_JUMPI
  0x23, 2, 0x60, 0x56, 0, 0, 0, 0, // PUSH1_JUMP
  0x0c, 2, 0x60, 0x01, 0, 0, 0, 0, // PUSH1_ADD
  0x0f, 2, 0x60, 0x02, 0, 0, 0, 0, // PUSH1_MUL
  0x1f, 2, 0x60, 0x16, 0, 0, 0, 0, // PUSH1_AND
  0x0d, 2, 0x60, 0x1b, 0, 0, 0, 0, // PUSH1_SHL
  0x0e, 2, 0x60, 0x1c, 0, 0, 0, 0, // PUSH1_SHR
  0x21, 2, 0x60, 0x51, 0, 0, 0, 0, // PUSH1_MLOAD
  0x22, 2, 0x60, 0x52, 0, 0, 0, 0, // PUSH1_MSTORE
  0x27, 2, 0x60, 0x60, 0, 0, 0, 0, // PUSH1_PUSH1
  0x28, 2, 0x60, 0x80, 0, 0, 0, 0, // PUSH1_DUP1
  0x29, 2, 0x60, 0x81, 0, 0, 0, 0, // PUSH1_DUP2
  0x26, 2, 0x61, 0x57, 0, 0, 0, 0, // PUSH2_JUMPI
  0x2f, 2, 0x61, 0x56, 0, 0, 0, 0, // PUSH2_JUMP
  0xc5, 5, 0x80, 0x63, 0x14, 0x61, 0x57, 0, // DUP1_PUSH4_EQ_PUSHN_JUMPI
  0xab, 4, 0x80, 0x15, 0x61, 0x57, 0, 0, // DUP1_ISZERO_PUSHN_JUMPI
  0xaf, 2, 0x80, 0x51, 0, 0, 0, 0, // DUP1_MLOAD
  0xad, 5, 0x81, 0x15, 0x15, 0x61, 0x57, 0, // DUP2_ISZERO_ISZERO_PUSHN_JUMPI
  0xac, 5, 0x81, 0x10, 0x15, 0x61, 0x57, 0, // DUP2_LT_ISZERO_PUSHN_JUMPI
  0xae, 2, 0x81, 0x52, 0, 0, 0, 0, // DUP2_MSTORE
  0xb0, 2, 0x81, 0x01, 0, 0, 0, 0, // DUP2_ADD
  0xb4, 2, 0x81, 0x81, 0, 0, 0, 0, // DUP2_DUP2
  0xb1, 2, 0x82, 0x16, 0, 0, 0, 0, // DUP3_AND
  0xb2, 2, 0x83, 0x16, 0, 0, 0, 0, // DUP4_AND
  0xb8, 2, 0x90, 0x50, 0, 0, 0, 0, // SWAP1_POP
  0xbf, 2, 0x90, 0x52, 0, 0, 0, 0, // SWAP1_MSTORE
  0xb9, 2, 0x91, 0x50, 0, 0, 0, 0, // SWAP2_POP
  0xba, 2, 0x92, 0x50, 0, 0, 0, 0, // SWAP3_POP
  0xbb, 2, 0x93, 0x50, 0, 0, 0, 0, // SWAP4_POP
  0xbc, 2, 0x94, 0x50, 0, 0, 0, 0, // SWAP5_POP
])
export const SUPERINSTRUCTION_COUNT: usize = 48
