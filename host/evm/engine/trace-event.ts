import type { FRAME_KINDS } from './generated/frame-kind.ts'
import type { LiveState } from './live-state.ts'

export type FrameType = (typeof FRAME_KINDS)[number]

/** A frame starts. `gas` is its limit; `value` is undefined for STATICCALL. */
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

/** The innermost frame ends. */
export interface ExitEvent {
  readonly kind: 'exit'
  readonly depth: number
  readonly gasUsed: bigint
  readonly output: Uint8Array
  /** geth's failure message; undefined on success. */
  readonly error: string | undefined
  readonly reverted: boolean
}

/** The innermost frame emits a log. */
export interface LogEvent {
  readonly kind: 'log'
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** An opcode and its state before execution. One cursor over the engine's memory, valid only during the callback. */
export interface StepRecord {
  readonly opcode: number
  /** Starts at 1, as in other tracers. */
  readonly depth: number
  readonly pc: number
  /** Exact below 2^53. `cost` exceeds that only if a call asks for more gas than there is. */
  readonly gas: number
  /**
   * Includes the gas passed to a call, but not that passed to a creation. For a failing opcode, what geth had counted
   * so far: constant gas, and dynamic gas if it could be computed.
   */
  readonly cost: number
  readonly refund: number
  /** Size of the frame's memory before the opcode expands it. */
  readonly memorySize: number
  readonly stackHeight: number
  /** geth's message if the frame ends here without success, reverts included. */
  readonly error: string | undefined
  /** True if the stack or gas check failed, so the opcode did not execute. */
  readonly isRefused: boolean
  /** Output of the frame's last call (RETURNDATACOPY). Stays valid. */
  readonly returnData: Uint8Array
  /** The engine's memory. Words in it are four little-endian 64-bit limbs. */
  readonly bytes: Uint8Array
  /** Address of the lowest stack word; the others follow. Only with `stack`. */
  readonly stackAt: number
  /** Like `slotAt`, for TLOAD (without the value) and TSTORE. */
  readonly transientAt: number
  /**
   * Address of the slot key, followed by its value, of an SLOAD (the value read) or SSTORE (the value to write) that
   * has its operands; 0 for other opcodes.
   */
  readonly slotAt: number
  /** Returns a stack word; index 0 is the lowest. Only with `stack`. */
  wordAt(index: number): bigint
  /** Writes the step as text, with the stack if `hasStack`. */
  encode(hasStack: boolean): StepText
}

/**
 * A step as JSON in the form of geth's structLogs. It lies in `bytes`, the engine's memory, from `start` to `end`,
 * until the next step.
 */
export interface StepText {
  readonly bytes: Uint8Array
  readonly start: number
  /** Where an error is inserted. */
  readonly headEnd: number
  /** Where returnData, memory and storage are inserted. */
  readonly stackEnd: number
  readonly end: number
}

/** What steps include. */
export interface StepOptions {
  /** Each step includes the whole stack. */
  readonly stack: boolean
  /** `onMemory` receives memory writes. */
  readonly memory: boolean
  /** The engine stops after each step, so that `LiveState` is as of that step. Much slower. */
  readonly each?: boolean
  /** Number of steps after which the run pauses before the next one: see `TraceSink.onPause`. */
  readonly count?: number
}

/**
 * An account that an opcode accessed, or the sender, the recipient, the coinbase or an authority: its values at the
 * first access and at the end of the transaction.
 */
export interface AccountEvent {
  readonly kind: 'account'
  readonly phase: 'before' | 'after'
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
  /** Deleted at the end of the transaction (EIP-6780). */
  readonly isDestroyed: boolean
}

/** A slot that SLOAD or SSTORE accessed; key and value are big-endian. Phases as for an account. */
export interface SlotEvent {
  readonly kind: 'slot'
  readonly phase: 'before' | 'after'
  readonly address: Uint8Array
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export type TraceEvent = EnterEvent | ExitEvent | LogEvent | AccountEvent | SlotEvent

/** Receives the events of one transaction in order. */
export interface TraceSink {
  /** If present, the engine runs its tracing loop, which also records every opcode. */
  readonly steps?: StepOptions
  /** True to receive the accounts and slots accessed. */
  readonly wantsState?: boolean
  /** True to receive no frames. `StepRecord.returnData` is then not tracked. */
  readonly ignoresCalls?: boolean
  /** True to receive no logs. Each costs about a microsecond. */
  readonly ignoresLogs?: boolean
  /** Called before execution starts. */
  onBegin?(state: LiveState): void
  onEvent(event: TraceEvent): void
  /** Read before each step, so it can be changed. */
  readonly onStep?: ((step: StepRecord) => void) | undefined
  /**
   * Called when the run pauses before a step, as set by `StepOptions.count` or `Engine.pauseSoon`. `LiveState` is as
   * of this step, and `Engine.checkpoint` can save it. The run then yields, and reads `steps` again.
   */
  onPause?(): void
  /**
   * Called when an opcode or the end of a call wrote `bytes` at `offset` of the memory of the frame at `depth`
   * (counted as in a step). `bytes` are valid only during the call. A frame's memory starts empty, and expansion by
   * `memorySize` adds zeros.
   */
  onMemory?(depth: number, offset: number, bytes: Uint8Array): void
}
