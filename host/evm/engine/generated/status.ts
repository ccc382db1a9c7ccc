// Written by tools/generate-tables.ts from tools/tables/status.ts; do not edit.

export const STATUS = {
  /** The message has ended, and its outcome can be read. */
  done: 0,
  /** An account is not known yet. */
  needAccount: 1,
  /** A slot is not known yet. */
  needStorage: 2,
  /** Code is not known yet. */
  needCode: 3,
  /** The hash of a block is not known yet. */
  needBlockHash: 4,
  /** A precompile outside the module is called. */
  callHost: 5,
  /** The trace must be read before the run continues. */
  traceFull: 6,
  /** The fuel is used up. */
  yield: 7,
  /** A region of memory is full: the run is discarded. */
  exhausted: 8,
  /** `run` without a message, or without the requested answer: the run is discarded. */
  misuse: 9,
} as const
