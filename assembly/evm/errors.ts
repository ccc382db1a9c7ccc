/** Why a frame failed; the host has geth's texts under the same numbers (host/engine/fault.ts). */
export const NONE = 0
export const OUT_OF_GAS = 1
export const STACK_UNDERFLOW = 2
export const STACK_OVERFLOW = 3
export const INVALID_JUMP = 4
export const INVALID_OPCODE = 5
export const REVERTED = 6
export const WRITE_PROTECTION = 7
export const RETURN_DATA_BOUNDS = 8
export const GAS_OVERFLOW = 9
export const DEPTH_EXCEEDED = 10
export const INSUFFICIENT_BALANCE = 11
export const ADDRESS_COLLISION = 12
export const NONCE_OVERFLOW = 13
export const CODE_TOO_LARGE = 14
export const INITCODE_TOO_LARGE = 15
export const CODE_STARTS_WITH_EF = 16
export const CODE_DEPOSIT_GAS = 17
export const PRECOMPILE_FAILED = 18

/** Detail of OUT_OF_GAS: SSTORE wants more than the stipend left (EIP-2200). */
export const SENTRY: u64 = 1
/** Detail of OUT_OF_GAS: the memory is so large that its price passes 64 bits. */
export const MEMORY_OVERFLOW: u64 = 2
/** Detail of OUT_OF_GAS: a call has too little for the gas that is not handed on (EIP-2929, EIP-7702). */
export const CALL_GAS: u64 = 3
/** Detail of OUT_OF_GAS: the opcode may not write in a static frame, which geth finds while it prices it. */
export const WRITE: u64 = 4
