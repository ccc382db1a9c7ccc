import type { FRAME_KINDS } from './generated/frame-kind.ts'
import type { LiveState } from './live-state.ts'

export type FrameType = (typeof FRAME_KINDS)[number]

/** A frame is entered. `gas` is what it may use; `value` is undefined for STATICCALL. */
export interface EnterEvent {
  readonly kind: 'enter'
  readonly type: FrameType
  /** 0 for the transaction's own frame. */
  readonly depth: number
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly input: Uint8Array
  readonly gas: bigint
  readonly value: bigint | undefined
}

/** The newest open frame ends. */
export interface ExitEvent {
  readonly kind: 'exit'
  readonly depth: number
  readonly gasUsed: bigint
  readonly output: Uint8Array
  /** geth's text of the failure; undefined on success. */
  readonly error: string | undefined
  readonly reverted: boolean
}

/** The newest open frame emits a log. */
export interface LogEvent {
  readonly kind: 'log'
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/**
 * An opcode as it stood before it ran: one cursor over the engine's memory, valid only while it is
 * delivered.
 */
export interface StepRecord {
  readonly opcode: number
  /** Counts from 1, as tracers do. */
  readonly depth: number
  readonly pc: number
  /** Exact below 2^53; so is `cost`, which passes that only where a call asks for more gas than there is. */
  readonly gas: number
  /**
   * With what a call hands on, but not what a creation does. Of an opcode that fails what geth had
   * counted by then: its constant gas, and the rest unless that could not be computed.
   */
  readonly cost: number
  readonly refund: number
  /** Size of the frame's memory, before what the opcode adds. */
  readonly memorySize: number
  readonly stackHeight: number
  /** geth's text where the frame ends here but not with success; a revert among it. */
  readonly error: string | undefined
  /** The error was found by the checks of stack and gas: the opcode did not begin its work. */
  readonly isRefused: boolean
  /** Output of the last call of the frame (RETURNDATACOPY). It stays valid. */
  readonly returnData: Uint8Array
  /** The engine's memory. Words in it are four little-endian 64-bit limbs. */
  readonly bytes: Uint8Array
  /** Address of the lowest word of the stack; the others follow. Only with `stack`. */
  readonly stackAt: number
  /** The same for TLOAD, whose value is not there, and TSTORE. */
  readonly transientAt: number
  /**
   * Address of the slot's key, followed by its value, of an SLOAD (as it was read) or SSTORE (as it was to
   * be written) that has its operands; 0 for other opcodes.
   */
  readonly slotAt: number
  /** A word of the stack, 0 being the lowest. Only with `stack`. */
  wordAt(index: number): bigint
  /** Writes the step as text, with its stack if `hasStack`. */
  encode(hasStack: boolean): StepText
}

/**
 * A step as geth's structLogs show it, in JSON: in `bytes`, which are the engine's memory, from `start` to
 * `end`, until the next one.
 */
export interface StepText {
  readonly bytes: Uint8Array
  readonly start: number
  /** Where an error is to be put in. */
  readonly headEnd: number
  /** Where returnData, memory and storage are. */
  readonly stackEnd: number
  readonly end: number
}

/** What steps carry. */
export interface StepOptions {
  /** Each step has the whole stack. */
  readonly stack: boolean
  /** `onMemory` is told of writes. */
  readonly memory: boolean
  /** The engine stops after each step, so that `LiveState` is as of that step; much slower. */
  readonly each?: boolean
  /** After so many steps the run waits before the next one: see `TraceSink.onPause`. */
  readonly count?: number
}

/**
 * An account that opcodes looked up, and the sender, the recipient, the coinbase and authorities: as it
 * was when it was first looked up, and at the end as the transaction leaves it.
 */
export interface AccountEvent {
  readonly kind: 'account'
  readonly phase: 'before' | 'after'
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
  /** It will be gone with the end of the transaction (EIP-6780). */
  readonly isDestroyed: boolean
}

/** A slot that SLOAD or SSTORE looked up, its key and value big-endian; phases as of an account. */
export interface SlotEvent {
  readonly kind: 'slot'
  readonly phase: 'before' | 'after'
  readonly address: Uint8Array
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export type TraceEvent = EnterEvent | ExitEvent | LogEvent | AccountEvent | SlotEvent

/** Takes the events of one transaction in order. */
export interface TraceSink {
  /** Present to run the traced loop, which also records every opcode. */
  readonly steps?: StepOptions
  /** True for the accounts and slots that are looked up. */
  readonly wantsState?: boolean
  /** True to be told of no frames: `StepRecord.returnData` is not followed then. */
  readonly ignoresCalls?: boolean
  /** True to be told of no logs: to record each and make an event of it takes about a microsecond. */
  readonly ignoresLogs?: boolean
  /** Called before anything runs. */
  onBegin?(state: LiveState): void
  onEvent(event: TraceEvent): void
  /** Looked up for each step. */
  readonly onStep?: ((step: StepRecord) => void) | undefined
  /**
   * The run waits before a step, as `StepOptions.count` asked: `LiveState` is as of this place, and
   * `Engine.checkpoint` can keep it. It yields, and then reads `steps` anew.
   */
  onPause?(): void
  /**
   * Bytes were written at `offset` of the memory of the frame at `depth` (counted as in a step), by an
   * opcode or by the end of a call; `bytes` are valid only during the call. A frame's memory begins empty,
   * and what `memorySize` of its steps adds is zeros.
   */
  onMemory?(depth: number, offset: number, bytes: Uint8Array): void
}
