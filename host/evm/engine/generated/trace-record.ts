// Written by tools/generate-tables.ts from tools/tables/trace-record.ts; do not edit.

export const TRACE_RECORD = {
  /** A frame is entered. */
  enter: 1,
  /** The latest open frame ends. */
  exit: 2,
  /** The latest open frame emits a log. */
  log: 3,
  /** An opcode runs. */
  step: 4,
  /** An account that was looked up. */
  account: 5,
  /** A slot that was looked up. */
  slot: 6,
  /** Bytes are written into the memory of a frame. */
  memory: 7,
} as const
