export type FrameType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

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
 * An opcode about to run, only for a sink that wants steps. `depth` counts from 1, as tracers do; `cost`
 * includes what a call hands on, but not what a creation does (as in geth). The words below `stackTop` follow from earlier steps.
 */
export interface StepEvent {
  readonly kind: 'step'
  readonly opcode: number
  readonly depth: number
  readonly pc: number
  readonly memorySize: number
  readonly gas: bigint
  readonly cost: bigint
  readonly refund: bigint
  readonly stackHeight: number
  readonly stackTop: bigint | undefined
  /** geth's text when the opcode failed. */
  readonly error: string | undefined
}

export type TraceEvent = EnterEvent | ExitEvent | LogEvent | StepEvent

/** Takes the events of one transaction in order. */
export interface TraceSink {
  /** True to run the traced loop, which also records every opcode. */
  readonly wantsSteps?: boolean
  onEvent(event: TraceEvent): void
}
