import { MAX_DEPTH, STACK_WORDS } from './generated/limit'

/**
 * The memory map: one fixed region per purpose in 292 MiB (4672 pages). The memory may grow above them, only for EVM
 * memories that do not fit. Gas bounds the sizes: what 60 million gas can make of a region fits in it. If a region
 * overflows anyway, the run ends with an engine error, never with a result of the EVM. The compiler's static data
 * lies below `STATIC_END`: most of it is the scratch of modexp (natural/).
 */
const MIB: usize = 1 << 20

export const STATIC_END: usize = 6 * MIB

// Exchange with the host
export const BLOCK: usize = STATIC_END
export const BLOCK_HASHES: usize = BLOCK + 1024
export const NEED: usize = BLOCK_HASHES + 256 * 40
export const OUTCOME: usize = NEED + 1024
export const MESSAGE: usize = OUTCOME + 1024
export const MESSAGE_SIZE: usize = 8 * MIB
export const ANSWER: usize = MESSAGE + MESSAGE_SIZE
export const ANSWER_SIZE: usize = 2 * MIB
export const TRACE_BUFFER: usize = ANSWER + ANSWER_SIZE
export const TRACE_BUFFER_SIZE: usize = MIB
/** Names of opcodes, and a step as text (trace/step-json.ts). */
export const STEP_NAMES: usize = TRACE_BUFFER + TRACE_BUFFER_SIZE
export const STEP_NAME_SIZE: usize = 48
export const STEP_TEXT: usize = STEP_NAMES + 256 * STEP_NAME_SIZE
export const STEP_TEXT_SIZE: usize = 84 * 1024

// Working space. Each cell belongs to the function of the file named before the colon. No cell keeps its content from
// one instruction, or phase of a message, to the next.
export const SCRATCH: usize = STEP_TEXT + STEP_TEXT_SIZE
export const SCRATCH_SIZE: usize = 16 * 1024
/** u256/divide.ts: the dividend, 18 digits of 32 bits; at the end the remainder. */
export const DIVIDEND: usize = SCRATCH
/** u256/divide.ts: the divisor, shifted until its top bit is set; for MOD by a power of two, the mask. */
export const SHIFTED_DIVISOR: usize = DIVIDEND + 128
/** u256/divide.ts: the quotient, with as many digits. */
export const QUOTIENT: usize = SHIFTED_DIVISOR + 64
/** u256/divide.ts: the operands of SDIV and SMOD without their signs. */
export const DIVIDEND_MAGNITUDE: usize = QUOTIENT + 128
export const DIVISOR_MAGNITUDE: usize = DIVIDEND_MAGNITUDE + 32
/** u256/power.ts: the operands of EXP, which its result may overwrite. */
export const POWER_BASE: usize = DIVISOR_MAGNITUDE + 32
export const POWER_EXPONENT: usize = POWER_BASE + 32
/** u256/power.ts: the power so far. */
export const POWER_RESULT: usize = POWER_EXPONENT + 32
/** evm/instruction/call.ts: callee address, 20 bytes. */
export const CALL_TARGET: usize = POWER_RESULT + 64
/** evm/instruction/create.ts: address of the contract being created, 20 bytes; evm/message/message.ts reads it too. */
export const NEW_ADDRESS: usize = CALL_TARGET + 32
/** evm/instruction/create.ts: the hash that ends with that address. */
export const NEW_ADDRESS_HASH: usize = NEW_ADDRESS + 32
/** evm/instruction/create.ts: the bytes hashed to it: 23 to 31 of a nonce, 85 of a salt. */
export const NEW_ADDRESS_PREIMAGE: usize = NEW_ADDRESS_HASH + 32
/** evm/instruction/create.ts: the creation's value, after its stack words are popped. */
export const ENDOWMENT: usize = NEW_ADDRESS_PREIMAGE + 96
/**
 * evm/instruction/account.ts, selfdestruct.ts: address in the word on top of the stack, 20 bytes; for SELFDESTRUCT
 * then the balance. evm/interpreter/step-cost.ts: that address for a failed opcode.
 */
export const NAMED_ADDRESS: usize = ENDOWMENT + 32
/**
 * evm/interpreter/interpreter.ts: the 32 bytes that CALLDATALOAD reads across the end of the input; operands of a
 * superinstruction.
 */
export const LOOP_WORDS: usize = NAMED_ADDRESS + 64
/** evm/instruction/hash.ts: result of KECCAK256. */
export const KECCAK_DIGEST: usize = LOOP_WORDS + 64
/** evm/message/authorization.ts: the signed bytes of an authorization. */
export const AUTHORIZATION_PREIMAGE: usize = KECCAK_DIGEST + 32
/** evm/message/authorization.ts: their hash. */
export const AUTHORIZATION_DIGEST: usize = AUTHORIZATION_PREIMAGE + 128
/** evm/message/authorization.ts: address of the signer, 20 bytes. */
export const AUTHORITY: usize = AUTHORIZATION_DIGEST + 32
/** evm/message/authorization.ts: an integer of the authorization, big-endian; the half of a signature. */
export const AUTHORIZATION_WORD: usize = AUTHORITY + 32
/** evm/message/authorization.ts: the code that the authority gets, 23 bytes. */
export const DELEGATION: usize = AUTHORIZATION_WORD + 32
/** evm/message/fee.ts: a price times an amount of gas. */
export const FEE_PRODUCT: usize = DELEGATION + 32
/** evm/message/fee.ts: the amount of gas in it; base fee and tip. */
export const FEE_FACTOR: usize = FEE_PRODUCT + 64
/** evm/message/fee.ts: sum that the sender must have, pays or gets back. */
export const COST: usize = FEE_FACTOR + 32
/** evm/message/fee.ts: one term of it; the share of the beneficiary in the price of gas. */
export const FEE: usize = COST + 32
/** evm/message/message.ts: a key of the access list. */
export const ACCESS_KEY: usize = FEE + 32
/** evm/state/peek.ts: key of the slot that the host asks for. */
export const PEEKED_KEY: usize = ACCESS_KEY + 32
/** evm/frame/host-operation.ts: a key, value or amount of an operation as a word. */
export const HOST_WORDS: usize = PEEKED_KEY + 32
/**
 * evm/interpreter/compiled.ts: registers at the end of a compiled region: sp u32, fuel i32, gas i64, a signal i32, pc
 * u32, and the stack pointer of the last opcode outside the loop, u32.
 */
export const REGION_EXIT: usize = HOST_WORDS + 256
/** evm/interpreter/compiled.ts: operands of an opcode that compiled code calls, and its result in the first. */
export const REGION_WORDS: usize = REGION_EXIT + 64

// One transaction
export const FRAMES: usize = SCRATCH + SCRATCH_SIZE
export const FRAME_SIZE: usize = 256
/** One word below the first: the pointer of an empty stack. */
export const STACKS: usize = FRAMES + FRAME_SIZE * usize(MAX_DEPTH + 2)
export const STACKS_END: usize = STACKS + 32 * STACK_WORDS * usize(MAX_DEPTH + 1) + 64
export const RETURN_DATA: usize = (STACKS_END + 63) & ~63
export const RETURN_DATA_SIZE: usize = 8 * MIB
/** The journal grows up, the logs grow down: the same gas pays for both. */
export const JOURNAL: usize = RETURN_DATA + RETURN_DATA_SIZE
export const LOGS_END: usize = JOURNAL + 40 * MIB
export const TRANSIENT_INDEX: usize = LOGS_END
export const TRANSIENT_INDEX_BITS: u32 = 21

// One block
export const ACCOUNTS: usize = TRANSIENT_INDEX + (4 << TRANSIENT_INDEX_BITS)
export const ACCOUNTS_END: usize = ACCOUNTS + 26 * MIB
export const ACCOUNT_INDEX: usize = ACCOUNTS_END
export const ACCOUNT_INDEX_BITS: u32 = 18
export const SLOTS: usize = ACCOUNT_INDEX + (4 << ACCOUNT_INDEX_BITS)
export const SLOTS_END: usize = SLOTS + 24 * MIB
export const SLOT_INDEX: usize = SLOTS_END
export const SLOT_INDEX_BITS: u32 = 18
export const CODES: usize = SLOT_INDEX + (4 << SLOT_INDEX_BITS)
export const CODES_END: usize = CODES + 24 * MIB
export const CODE_INDEX: usize = CODES_END
export const CODE_INDEX_BITS: u32 = 15
/** Accesses of the block's transactions grow up, their changes grow down (evm/state/access-list.ts). */
export const ACCESS_LIST: usize = CODE_INDEX + (4 << CODE_INDEX_BITS)
export const ACCESS_LIST_END: usize = ACCESS_LIST + 8 * MIB
/** Transactions that run one after another, and their results: they are exchanged with the host. */
export const BATCH: usize = ACCESS_LIST_END
export const BATCH_SIZE: usize = 9 * MIB
export const BATCH_RESULTS: usize = BATCH + BATCH_SIZE
export const BATCH_RESULTS_SIZE: usize = 10 * MIB

/**
 * EVM memories, a frame's above its parent's. Transient storage grows down from the other end. Between transactions:
 * the block's diff.
 */
export const MEMORIES: usize = BATCH_RESULTS + BATCH_RESULTS_SIZE
export const MEMORIES_END: usize = 292 * MIB

/** Space for EVM memories that do not fit, up to the last page but one, so that an end never wraps. */
export const OVERFLOW: usize = MEMORIES_END
export const OVERFLOW_END: u64 = (1 << 32) - (1 << 16)
