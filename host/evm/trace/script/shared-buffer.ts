/**
 * Buffer shared by host and sandbox. It lies in QuickJS's heap: the host writes each step in place, and the prelude
 * reads it. Scripts cannot access it. Numbers are little-endian.
 */

/** Indices of 32-bit fields. A 64-bit number takes two, the low half first. */
export const BUFFER_FIELD = {
  opcode: 0,
  depth: 1,
  pc: 2,
  memorySize: 3,
  gas: 4,
  cost: 6,
  refund: 8,
  stackHeight: 10,
  /** Index of the lowest stack word copied. */
  stackFrom: 11,
  /** 1 if the step has an error; its message is requested separately. */
  isFailed: 12,
  /** The sandbox's question (index in `QUESTIONS`), and its numeric operands. */
  question: 13,
  first: 14,
  second: 16,
  /** Kind of the answer (`KIND`), its length in bytes, and its number. */
  kind: 18,
  length: 19,
  number: 20,
} as const

/** Offset of the stack words, lowest first: four little-endian 64-bit limbs each. */
export const STACK_AT = 128
export const STACK_WORDS = 1024

/**
 * Window for the bytes of a question or an answer. Longer ones have their own buffer: the call's argument or return
 * value.
 */
export const WINDOW_AT = STACK_AT + 32 * STACK_WORDS
export const WINDOW_BYTES = 4096

export const SHARED_BYTES = WINDOW_AT + WINDOW_BYTES

/**
 * Kinds of answers. Words lie in the window in the format of the stack, bytes as they are. Text is returned as a
 * value.
 */
export const ANSWER_KIND = { none: 0, number: 1, boolean: 2, word: 3, bytes: 4, text: 5 } as const

/** Questions of the sandbox. Addresses are the first 20 bytes of the window, keys and salts start at 32. */
export const QUESTIONS = [
  /** Ends the run with the message in the window. */
  'fail',
  /** Ends the run: the result exceeds its length limit. */
  'tooLong',
  /** Returns the first `first` bytes of the window, or the argument, as hex. */
  'hex',
  /** Returns the `bigInt` library as a value. */
  'bigInt',
  /** Copies the whole stack. */
  'stack',
  /** Returns `second` bytes of memory from `first`. */
  'memory',
  'error',
  'caller',
  'address',
  'value',
  'input',
  'balance',
  'nonce',
  'code',
  'state',
  'exists',
  /** Returns the address created by an account with the nonce `first`. */
  'createAddress',
  /** Returns the address of a CREATE2 by an account, with the salt, and the argument as init code. */
  'create2Address',
  'isPrecompiled',
  'frameType',
  'frameFrom',
  'frameTo',
  'frameInput',
  'frameGas',
  'frameValue',
  'exitGasUsed',
  'exitOutput',
  'exitError',
  /** Returns member `first` of `CONTEXT`. */
  'context',
] as const

export type ScriptQuestion = (typeof QUESTIONS)[number]

/** Members of the context passed to `result`, in order. */
export const CONTEXT = [
  'type',
  'from',
  'to',
  'input',
  'gas',
  'gasUsed',
  'gasPrice',
  'value',
  'block',
  'coinbase',
  'output',
  'error',
  'blockHash',
  'txIndex',
  'txHash',
] as const

export type ContextMember = (typeof CONTEXT)[number]

/** Constants for the prelude, which cannot import. */
export interface PreludeConstants {
  readonly field: typeof BUFFER_FIELD
  readonly kind: typeof ANSWER_KIND
  /** Index of each question. */
  readonly question: Readonly<Record<ScriptQuestion, number>>
  readonly context: readonly ContextMember[]
  readonly stackAt: number
  readonly windowAt: number
  readonly windowBytes: number
  /** Opcode names by byte. */
  readonly opcodeNames: readonly string[]
  readonly resultLength: number
}
