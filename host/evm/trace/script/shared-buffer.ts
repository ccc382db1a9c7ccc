/**
 * The buffer that the host and the sandbox share: it lies in QuickJS's heap, the host writes a step into it
 * in place, and the prelude reads it. Scripts never get hold of it. Numbers are little-endian.
 */

/** 32-bit fields by their index. Those of 64 bits take two, the low half first. */
export const FIELD = {
  opcode: 0,
  depth: 1,
  pc: 2,
  memorySize: 3,
  gas: 4,
  cost: 6,
  refund: 8,
  stackHeight: 10,
  /** Index of the lowest word of the stack that was copied. */
  stackFrom: 11,
  /** 1 where the step has an error; its text is asked for. */
  isFailed: 12,
  /** The sandbox's question (index in `QUESTIONS`), and its numbers. */
  question: 13,
  first: 14,
  second: 16,
  /** The kind of the answer (`KIND`), its length in bytes, and its number. */
  kind: 18,
  length: 19,
  number: 20,
} as const

/** Offset of the words of the stack, the lowest first: four little-endian 64-bit limbs each. */
export const STACK_AT = 128
export const STACK_WORDS = 1024

/** Bytes of a question or an answer. Longer ones are a buffer of their own: argument or value of the call. */
export const WINDOW_AT = STACK_AT + 32 * STACK_WORDS
export const WINDOW_BYTES = 4096

export const SHARED_BYTES = WINDOW_AT + WINDOW_BYTES

/** The kinds of answers. Words lie in the window as on the stack, bytes too; text is returned as a value. */
export const KIND = { none: 0, number: 1, boolean: 2, word: 3, bytes: 4, text: 5 } as const

/** All that the sandbox can ask. Addresses are the first 20 bytes of the window, keys and salts those from 32. */
export const QUESTIONS = [
  /** Ends the run with the text in the window. */
  'fail',
  /** Ends the run: the result has more characters than it may. */
  'tooLong',
  /** The `first` bytes in the window, or those of the argument, as hex. */
  'hex',
  /** The library behind `bigInt`, returned as a value. */
  'bigInt',
  /** Copies the whole stack. */
  'stack',
  /** `second` bytes of memory from `first`. */
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
  /** The address of a creation by the address, with the nonce `first`. */
  'createAddress',
  /** The address of a CREATE2 by the address, with the salt and the argument as init code. */
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
  /** Member `first` of `CONTEXT`. */
  'context',
] as const

export type Question = (typeof QUESTIONS)[number]

/** Members of the context that `result` takes, in order. */
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

/** The constants that the prelude needs; it cannot import. */
export interface PreludeConstants {
  readonly field: typeof FIELD
  readonly kind: typeof KIND
  /** Index of each question. */
  readonly question: Readonly<Record<Question, number>>
  readonly context: readonly ContextMember[]
  readonly stackAt: number
  readonly windowAt: number
  readonly windowBytes: number
  /** Names of the opcodes by their byte. */
  readonly opcodeNames: readonly string[]
  readonly resultLength: number
}
