/**
 * The memory map of modules.wasm, below 4 MiB. The scratch of u256/ lies above, at the same addresses as in the
 * engine (layout.ts). A call that overflows a region runs out of gas; gas bounds them all.
 */
const KIB: usize = 1 << 10

/** The compiler's static data lies below; most of it is tables of the curves. */
export const STATIC_END: usize = 1024 * KIB

/** The call (call.ts), and its input. */
export const CALL: usize = STATIC_END
export const INPUT: usize = CALL + 256
/** Longest input of a precompile. */
export const INPUT_SIZE: usize = 128 * KIB
/** Result of the call (modules.ts). */
export const OUTCOME: usize = INPUT + INPUT_SIZE + 64
/** The rows and accounts read (state.ts), and their index by a hash of the key. */
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
/** A text under construction (text.ts), and one read from rows (row-text.ts). */
export const TEXT: usize = OUTPUT_END
export const TEXT_SIZE: usize = 4 * KIB
export const ROW_TEXT: usize = TEXT + TEXT_SIZE
export const ROW_TEXT_SIZE: usize = 4 * KIB
