// Written by tools/generate-tables.ts from tools/tables/fault.ts; do not edit.

export const NONE: i32 = 0
export const OUT_OF_GAS: i32 = 1
export const STACK_UNDERFLOW: i32 = 2
export const STACK_OVERFLOW: i32 = 3
export const INVALID_JUMP: i32 = 4
export const INVALID_OPCODE: i32 = 5
export const REVERTED: i32 = 6
export const WRITE_PROTECTION: i32 = 7
export const RETURN_DATA_BOUNDS: i32 = 8
export const GAS_OVERFLOW: i32 = 9
export const DEPTH_EXCEEDED: i32 = 10
export const INSUFFICIENT_BALANCE: i32 = 11
export const ADDRESS_COLLISION: i32 = 12
export const NONCE_OVERFLOW: i32 = 13
export const CODE_TOO_LARGE: i32 = 14
export const INITCODE_TOO_LARGE: i32 = 15
export const CODE_STARTS_WITH_EF: i32 = 16
export const CODE_DEPOSIT_GAS: i32 = 17
export const PRECOMPILE_FAILED: i32 = 18

// Details of OUT_OF_GAS
/** SSTORE requires more than the stipend to be left (EIP-2200). */
export const SENTRY: u64 = 1
/** The memory is so large that its price exceeds 64 bits. */
export const MEMORY_OVERFLOW: u64 = 2
/** A call cannot pay its own cost, without the gas passed on (EIP-2929, EIP-7702), or SELFDESTRUCT its access. */
export const CALL_GAS: u64 = 3
/** The opcode must not write in a static frame, which geth checks while it prices it. */
export const WRITE: u64 = 4
/** A creation cannot pay the state gas of its account, which geth takes after the step (EIP-8037). */
export const NEW_CONTRACT: u64 = 5
