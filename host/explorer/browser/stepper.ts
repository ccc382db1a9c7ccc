import type { Hex } from '../../base/hex.ts'
import type { FrameType } from '../../evm/engine/trace-event.ts'
import type { Fault } from './fault.ts'

/** A frame of a transaction, with the steps that it spans. Bytes are 0x hex, so that it can be shown and sent. */
export interface CallNode {
  /** Place in `Calls.nodes`: the order in which frames were entered; 0 is the transaction's own. */
  readonly index: number
  readonly parent: number | undefined
  readonly children: readonly number[]
  readonly type: FrameType
  /** 1 for the transaction's own frame, as in a step. */
  readonly depth: number
  readonly from: Hex
  readonly to: Hex
  /** Whose code runs: another than `to` behind an EIP-7702 delegation. */
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
  /** Number of its first step, and one more than that of its last; equal where it has none (precompiles, accounts). */
  readonly firstStep: number
  readonly endStep: number
}

export interface LogNode {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** The step that emitted it; undefined for those of a precompile. */
  readonly step: number | undefined
  /** It was undone by a failure of its frame or of one above. */
  readonly isReverted: boolean
}

/** A row of the list of steps. */
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

/** A step in full: the machine as it stood before the opcode ran. */
export interface StepView extends StepRow {
  readonly refund: number
  /** Address whose storage is used. */
  readonly address: Hex
  readonly codeAddress: Hex
  readonly codeHash: Hex
  /** The lowest word first. */
  readonly stack: readonly bigint[]
  readonly memory: Uint8Array
  readonly returnData: Uint8Array
  readonly input: Uint8Array
  /** Slots of `address` that the transaction has touched by now, as they are now; keys and values of 32 bytes. */
  readonly storage: readonly SlotValue[]
  /** EIP-1153; the same. */
  readonly transient: readonly SlotValue[]
  /** What the step before it in the same frame changed. */
  readonly changed: Changed
}

export interface SlotValue {
  readonly slot: Hex
  readonly value: Hex
  /** Before the transaction. */
  readonly original: Hex
}

export interface Changed {
  /** Places in `stack`, 0 being the lowest. */
  readonly stack: readonly number[]
  /** Ranges of `memory`. */
  readonly memory: readonly { readonly offset: number; readonly size: number }[]
  /** Keys in `storage`, and in `transient`. */
  readonly storage: readonly Hex[]
  readonly transient: readonly Hex[]
}

/** Where a run stops: all that are given must hold. */
export interface Condition {
  readonly opcode?: string
  readonly pc?: number
  /** Address whose code runs. */
  readonly codeAddress?: Hex
  /** Several places of code at once, as a line of a source has. */
  readonly places?: { readonly codeAddress: Hex; readonly pcs: readonly number[] }
  /** A SSTORE to this slot, of any account or of `address`. */
  readonly slotWritten?: { readonly slot: Hex; readonly address?: Hex }
  /** A call or creation of this address. */
  readonly callTo?: Hex
  readonly gasBelow?: number
  readonly minDepth?: number
  readonly maxDepth?: number
  /** The step failed. */
  readonly fails?: boolean
}

/** What somebody wants to know the writer of, as it is at a step. */
export type Written =
  | { readonly kind: 'slot'; readonly address: Hex; readonly slot: Hex }
  | { readonly kind: 'transient'; readonly address: Hex; readonly slot: Hex }
  /** A word of the stack of the frame at that step, 0 being the lowest. */
  | { readonly kind: 'stack'; readonly place: number }
  /** A byte of the memory of the frame at that step. */
  | { readonly kind: 'memory'; readonly offset: number }

/** An account or slot that the transaction leaves otherwise than it found it. */
export interface AccountChange {
  readonly address: Hex
  readonly balance: readonly [before: bigint, after: bigint]
  readonly nonce: readonly [before: bigint, after: bigint]
  readonly codeHash: readonly [before: Hex, after: Hex]
  readonly slots: readonly { readonly slot: Hex; readonly before: Hex; readonly after: Hex }[]
}

/** How the transaction ended. */
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

/** Gas that the steps at a place of code used without what their calls did. */
export interface CodeGas {
  readonly codeHash: Hex
  readonly pc: number
  readonly gas: number
  readonly count: number
  /** Index of the frame. */
  readonly call: number
}

/** How a question is ended before its answer. */
export interface SearchOptions {
  /** The answer is then a rejection: REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal | undefined
}

export interface FindOptions extends SearchOptions {
  /** Called now and then with the step that has been reached. */
  readonly onProgress?: ((step: number) => void) | undefined
}

export interface FoundStep {
  readonly index: number
  /** Place of the condition that holds. */
  readonly which: number
}

/** Digests of steps, one after another. */
export interface StepDigests {
  /** Of pc, opcode, depth and code. */
  readonly places: Uint32Array
  /** Of the height of the stack, its top words and the size of the memory. */
  readonly stacks: Uint32Array
  /** The gas itself. */
  readonly gas: Float64Array
}

/**
 * One transaction of a bundle, to be looked at step by step, forwards and backwards. Every question is answered
 * from checkpoints: the steps between are run again.
 */
export interface Stepper {
  summary(): Promise<RunSummary>
  /** All frames, by index. */
  calls(): Promise<readonly CallNode[]>
  /** @throws INVALID_ARGUMENT outside of 0 to `summary().steps - 1` */
  step(index: number, options?: SearchOptions): Promise<StepView>
  /** Rows `from` to `from + count - 1`, as far as there are steps. */
  rows(from: number, count: number, options?: SearchOptions): Promise<readonly StepRow[]>
  /** The nearest step after `from`, or before it, at which one of the conditions holds. */
  find(
    conditions: readonly Condition[],
    from: number,
    direction: 'forward' | 'back',
    options?: FindOptions,
  ): Promise<FoundStep | undefined>
  /**
   * The step whose opcode gave `what` the value that it has at step `at`; undefined where it stands since before
   * the transaction, or since the frame began. A write that a failure has undone since does not count: the value
   * is then that of the last write before it that is still in force. DUP writes the new word, SWAP both that change
   * places, a call the word of its result and the bytes of memory that its output was copied to.
   */
  lastWriter(what: Written, at: number, options?: SearchOptions): Promise<number | undefined>
  gasByCode(options?: SearchOptions): Promise<readonly CodeGas[]>
  /** What tells steps `from` to `from + count - 1` from those of another run, as far as there are steps. */
  digests(from: number, count: number, options?: SearchOptions): Promise<StepDigests>
  /** The code that ran under a hash. */
  code(codeHash: Hex): Promise<Uint8Array>
  close(): Promise<void>
}
