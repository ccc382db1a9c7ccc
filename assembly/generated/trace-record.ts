// Written by tools/generate-tables.ts from tools/tables/trace-record.ts; do not edit.

/** A frame is entered. */
export const ENTER: u32 = 1
/** The latest open frame ends. */
export const EXIT: u32 = 2
/** The latest open frame emits a log. */
export const LOG: u32 = 3
/** An opcode runs. */
export const STEP: u32 = 4
/** An account that was looked up. */
export const ACCOUNT: u32 = 5
/** A slot that was looked up. */
export const SLOT: u32 = 6
/** Bytes are written into the memory of a frame. */
export const MEMORY: u32 = 7
