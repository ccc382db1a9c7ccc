/**
 * The memory map of modules.wasm: below 4 MiB. Above lies the scratch of u256/, where the engine has it too (layout.ts).
 * What overflows a region runs out of gas, which bounds all of them.
 */
const KIB: usize = 1 << 10

/** Static data of the compiler lies below: tables of the curves, most of it. */
export const STATIC_END: usize = 1024 * KIB

/** The call (call.ts), and its input. */
export const CALL: usize = STATIC_END
export const INPUT: usize = CALL + 256
/** Longest input that a precompile takes. */
export const INPUT_SIZE: usize = 128 * KIB
/** What came of it (modules.ts). */
export const OUTCOME: usize = INPUT + INPUT_SIZE + 64
/** Rows and accounts that are read (state.ts), and where they stand, by a hash of the key. */
export const READS: usize = OUTCOME + 64
export const READ_SIZE: usize = 192
/** Offset of a read's result from its operation. */
export const RESULT_OFFSET: usize = 64
export const MAX_READS: u32 = 4096
export const READ_INDEX: usize = READS + READ_SIZE * usize(MAX_READS)
export const READ_INDEX_BITS: u32 = 13
/** Operations on the state that the call ends with. */
export const EFFECTS: usize = READ_INDEX + (4 << READ_INDEX_BITS)
export const EFFECTS_END: usize = EFFECTS + 1024 * KIB
export const OUTPUT: usize = EFFECTS_END
export const OUTPUT_END: usize = OUTPUT + 512 * KIB
/** A text that is being put together (text.ts), and one that was read from rows (rows.ts). */
export const TEXT: usize = OUTPUT_END
export const TEXT_SIZE: usize = 4 * KIB
export const ROW_TEXT: usize = TEXT + TEXT_SIZE
export const ROW_TEXT_SIZE: usize = 4 * KIB
