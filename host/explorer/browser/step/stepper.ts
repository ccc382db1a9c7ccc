import type { Hex } from '../../../base/hex.ts'
import type { FrameType } from '../../../evm/engine/trace-event.ts'
import type { Fault } from './fault.ts'
import type { LineMarks } from './line-marks.ts'

/** A frame of a transaction, with its range of steps. Bytes are 0x hex, for display and messages. */
export interface CallNode {
  /** Index in `Calls.nodes`, in the order of entry; 0 is the transaction's own frame. */
  readonly index: number
  readonly parent: number | undefined
  readonly children: readonly number[]
  readonly type: FrameType
  /** 1 for the transaction's own frame, as in a step. */
  readonly depth: number
  readonly from: Hex
  readonly to: Hex
  /** Address of the executed code: differs from `to` if an EIP-7702 delegation applies. */
  readonly codeAddress: Hex
  /** Wei; undefined for STATICCALL. */
  readonly value: bigint | undefined
  readonly input: Hex
  readonly output: Hex
  readonly gas: bigint
  readonly gasUsed: bigint
  /** Undefined on success. */
  readonly fault: Fault | undefined
  readonly logs: readonly LogNode[]
  /** Number of its first step, and one past its last; equal if it has no steps (precompiles, accounts). */
  readonly firstStep: number
  readonly endStep: number
}

export interface LogNode {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** The step that emitted it; undefined for a log of a precompile. */
  readonly step: number | undefined
  /** Reverted by a failure of its frame or of an outer one. */
  readonly isReverted: boolean
}

/** A row of the step list. */
export interface StepRow {
  /** Number of the step in its transaction, from 0. */
  readonly index: number
  readonly pc: number
  readonly opcode: number
  readonly name: string
  readonly depth: number
  readonly gas: number
  readonly cost: number
  /** Index of its frame (`CallNode.index`). */
  readonly call: number
  readonly fault: Fault | undefined
}

/** A step in full: the machine state before the opcode runs. */
export interface StepView extends StepRow {
  readonly refund: number
  /** Address whose storage is used. */
  readonly address: Hex
  readonly codeAddress: Hex
  readonly codeHash: Hex
  /** Lowest word first. */
  readonly stack: readonly bigint[]
  readonly memory: Uint8Array
  readonly returnData: Uint8Array
  readonly input: Uint8Array
  /**
   * Slots of `address` that the transaction has touched before this step, with their current values; keys and values
   * of 32 bytes.
   */
  readonly storage: readonly SlotValue[]
  /** Transient storage (EIP-1153), in the same form. */
  readonly transient: readonly SlotValue[]
  /** Changes by the previous step of the same frame. */
  readonly changed: Changed
}

export interface SlotValue {
  readonly slot: Hex
  readonly value: Hex
  /** Before the transaction. */
  readonly original: Hex
}

export interface Changed {
  /** Positions in `stack`, 0 being the lowest. */
  readonly stack: readonly number[]
  /** Ranges of `memory`. */
  readonly memory: readonly { readonly offset: number; readonly size: number }[]
  /** Keys in `storage`, and in `transient`. */
  readonly storage: readonly Hex[]
  readonly transient: readonly Hex[]
}

/** A condition for a stop: all given members must hold. */
export interface Condition {
  readonly opcode?: string
  readonly pc?: number
  /** Address whose code runs. */
  readonly codeAddress?: Hex
  /** Several code positions at once, as for a source line. */
  readonly places?: { readonly codeAddress: Hex; readonly pcs: readonly number[] }
  /** An SSTORE to this slot, of any account or of `address`. */
  readonly slotWritten?: { readonly slot: Hex; readonly address?: Hex }
  /** A call or creation of this address. */
  readonly callTo?: Hex
  readonly gasBelow?: number
  readonly minDepth?: number
  readonly maxDepth?: number
  /** The step failed. */
  readonly fails?: boolean
}

/** A value at a step whose writer is searched. */
export type Written =
  | { readonly kind: 'slot'; readonly address: Hex; readonly slot: Hex }
  | { readonly kind: 'transient'; readonly address: Hex; readonly slot: Hex }
  /** A word of the stack of the frame at that step, 0 being the lowest. */
  | { readonly kind: 'stack'; readonly place: number }
  /** A byte of the memory of the frame at that step. */
  | { readonly kind: 'memory'; readonly offset: number }

/** An account or slot that the transaction changed. */
export interface AccountChange {
  readonly address: Hex
  readonly balance: readonly [before: bigint, after: bigint]
  readonly nonce: readonly [before: bigint, after: bigint]
  readonly codeHash: readonly [before: Hex, after: Hex]
  readonly slots: readonly { readonly slot: Hex; readonly before: Hex; readonly after: Hex }[]
}

/** The slots of an account whose last write a failure reverted. */
export interface UndoneWrites {
  readonly address: Hex
  /** The value that remained, and the value that was written at a step. */
  readonly slots: readonly {
    readonly slot: Hex
    readonly before: Hex
    readonly after: Hex
    readonly step: number
  }[]
}

/** The outcome of the transaction. */
export interface RunSummary {
  readonly success: boolean
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly output: Hex
  readonly fault: Fault | undefined
  readonly steps: number
  readonly contractAddress: Hex | undefined
  readonly changes: readonly AccountChange[]
}

/** Gas that the steps at a code position used, without that of their calls. */
export interface CodeGas {
  readonly codeHash: Hex
  readonly pc: number
  readonly gas: number
  readonly count: number
  /** Index of the frame. */
  readonly call: number
}

/** A function that a jump in its own code called. */
export interface InternalCall {
  /** Position in the list of all, in the order of entry. */
  readonly index: number
  /** Index of its frame. */
  readonly call: number
  /** The function around it, in its frame or in an outer one. */
  readonly parent: number | undefined
  /** Its first instruction, and the jump to it. */
  readonly pc: number
  readonly callPc: number
  /** Number of its first step, and of the first after it. */
  readonly firstStep: number
  readonly endStep: number
  /** With everything that it called. */
  readonly gasUsed: number
}

/** Options to cancel a query. */
export interface SearchOptions {
  /** The query then rejects with REQUEST_TIMEOUT, or with the signal's LockstepError. */
  readonly signal?: AbortSignal | undefined
}

export interface FindOptions extends SearchOptions {
  /** Called now and then with the step that has been reached. */
  readonly onProgress?: ((step: number) => void) | undefined
}

export interface FoundStep {
  readonly index: number
  /** Index of the condition that holds. */
  readonly which: number
}

/** Digests of consecutive steps. */
export interface StepDigests {
  /** Of pc, opcode, depth and code. */
  readonly places: Uint32Array
  /** Of the stack height, its top words and the memory size. */
  readonly stacks: Uint32Array
  /** The gas itself. */
  readonly gas: Float64Array
}

/**
 * One transaction of a bundle, examined step by step in both directions. Queries start from checkpoints and run the
 * steps between again.
 */
export interface Stepper {
  summary(): Promise<RunSummary>
  /** All frames, by index. */
  calls(): Promise<readonly CallNode[]>
  /** @throws INVALID_ARGUMENT outside of 0 to `summary().steps - 1` */
  step(index: number, options?: SearchOptions): Promise<StepView>
  /** Returns rows `from` to `from + count - 1`, as far as there are steps. */
  rows(from: number, count: number, options?: SearchOptions): Promise<readonly StepRow[]>
  /** Returns the nearest step after or before `from` at which one of the conditions holds. */
  find(
    conditions: readonly Condition[],
    from: number,
    direction: 'forward' | 'back',
    options?: FindOptions,
  ): Promise<FoundStep | undefined>
  /**
   * Returns the step whose opcode wrote the value that `what` has at step `at`. Undefined if the value is older than
   * the transaction, or than the frame. A reverted write does not count: the value is then that of the last write
   * before it that is still valid. DUP writes the new word, SWAP both exchanged words, a call its result word and the
   * memory bytes of its output.
   */
  lastWriter(what: Written, at: number, options?: SearchOptions): Promise<number | undefined>
  /** Returns the writes that failures reverted, by account: the last one of each slot, if it changed the value. */
  undoneWrites(): Promise<readonly UndoneWrites[]>
  /**
   * Returns gas by code position. In code with marks, generated code counts for the line on the internal call stack
   * that called it.
   */
  gasByCode(
    marks?: ReadonlyMap<Hex, LineMarks>,
    options?: SearchOptions,
  ): Promise<readonly CodeGas[]>
  /**
   * Returns the internal functions that the user wrote and that ran, in the order of entry, in code with marks. At most
   * 200,000 are listed.
   */
  internalCalls(
    marks: ReadonlyMap<Hex, LineMarks>,
    options?: SearchOptions,
  ): Promise<readonly InternalCall[]>
  /**
   * Returns the pc of the innermost source line on the internal call stack before a step, by the marks of its code.
   * Undefined if its frame ran no line before.
   */
  linePc(at: number, marks: LineMarks, options?: SearchOptions): Promise<number | undefined>
  /**
   * Returns digests of steps `from` to `from + count - 1`, as far as there are steps, to compare them with those of
   * another run.
   */
  digests(from: number, count: number, options?: SearchOptions): Promise<StepDigests>
  /** Returns the executed code with a hash. */
  code(codeHash: Hex): Promise<Uint8Array>
  close(): Promise<void>
}
