/**
 * The memory map: one fixed region for each purpose in 272 MiB (4352 pages), and above them, only for
 * EVM memories that do not fit, whatever the memory grows by. Sizes are bounds by gas: what 60 million
 * gas can make of a region fits in it. A region that overflows all the same ends the run with an engine
 * error, never with a result of the EVM.
 * Static data of the compiler lies below `STATIC_END`: most of it is the scratch of modexp (natural/).
 */
const MIB: usize = 1 << 20

/** Deepest frame: the transaction's own has depth 0 (yellow paper, section 8). */
export const MAX_DEPTH: i32 = 1024
export const STACK_WORDS: usize = 1024

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

// Working space of one instruction: products, quotients, hash inputs
export const SCRATCH: usize = STEP_TEXT + STEP_TEXT_SIZE
export const SCRATCH_SIZE: usize = 16 * 1024

// One transaction
export const FRAMES: usize = SCRATCH + SCRATCH_SIZE
export const FRAME_SIZE: usize = 256
/** One word below the first: an empty stack's pointer stands here. */
export const STACKS: usize = FRAMES + FRAME_SIZE * usize(MAX_DEPTH + 2)
export const STACKS_END: usize = STACKS + 32 * STACK_WORDS * usize(MAX_DEPTH + 1) + 64
export const RETURN_DATA: usize = (STACKS_END + 63) & ~63
export const RETURN_DATA_SIZE: usize = 8 * MIB
/** The journal grows up, the logs grow down: the same gas pays for either. */
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

/**
 * EVM memories, a frame's above its parent's, and from the other end transient storage; between
 * transactions the block's diff.
 */
export const MEMORIES: usize = CODE_INDEX + (4 << CODE_INDEX_BITS)
export const MEMORIES_END: usize = 272 * MIB

/** Where EVM memories go on that do not fit, up to the last page but one: an end never wraps. */
export const OVERFLOW: usize = MEMORIES_END
export const OVERFLOW_END: u64 = (1 << 32) - (1 << 16)
