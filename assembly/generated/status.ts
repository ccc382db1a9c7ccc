// Written by tools/generate-tables.ts from tools/tables/status.ts; do not edit.

/** The message has ended, and its outcome can be read. */
export const DONE: i32 = 0
/** An account is not known yet. */
export const NEED_ACCOUNT: i32 = 1
/** A slot is not known yet. */
export const NEED_STORAGE: i32 = 2
/** Code is not known yet. */
export const NEED_CODE: i32 = 3
/** The hash of a block is not known yet. */
export const NEED_BLOCK_HASH: i32 = 4
/** A precompile outside the module is called. */
export const CALL_HOST: i32 = 5
/** The trace must be read before the run continues. */
export const TRACE_FULL: i32 = 6
/** The fuel is used up. */
export const YIELD: i32 = 7
/** A region of memory is full: the run is discarded. */
export const EXHAUSTED: i32 = 8
/** `run` without a message, or without the requested answer: the run is discarded. */
export const MISUSE: i32 = 9
