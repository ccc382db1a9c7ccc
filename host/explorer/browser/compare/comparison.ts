import type { Hex } from '../../../base/hex.ts'
import type { Fault } from '../step/fault.ts'
import type { LogNode } from '../step/stepper.ts'

/** A value in the first run and in the second. */
export type Both<Value> = readonly [Value, Value]

/** The differences between two runs of a transaction. */
export interface Comparison {
  /**
   * The first steps (of the first and second run) at which the same opcode of the same code finds a different machine
   * state: another stack, or another memory size. Differing memory content is found when it is loaded.
   */
  readonly machine: MachineDifference | undefined
  /** The first steps at different code positions; one is undefined if that run has ended. */
  readonly path: Both<number | undefined> | undefined
  /** The steps at which the paths rejoin after that, within the searched range. */
  readonly rejoin: Both<number> | undefined
  /** The first step with a different amount of remaining gas. */
  readonly gas: number | undefined
  readonly outcome: OutcomeDifference
  /** Frames of both runs with different gas, and frames of only one run; outermost first. */
  readonly frames: readonly FrameDifference[]
  readonly accounts: readonly AccountDifference[]
  /** Logs, not reverted, of only the first and only the second run, in order. */
  readonly logs: Both<readonly LogNode[]>
}

export interface MachineDifference {
  readonly step: number
  /** Positions of differing words, 0 being the lowest. */
  readonly stack: readonly number[]
  readonly stackHeight: Both<number>
  readonly memorySize: Both<number>
}

/** Differences between the ends of the runs. */
export interface OutcomeDifference {
  readonly success?: Both<boolean>
  readonly gasUsed?: Both<bigint>
  readonly output?: Both<Hex>
  readonly fault?: Both<Fault | undefined>
}

export interface FrameDifference {
  /** Indexes of the frames (`CallNode.index`). */
  readonly calls: Both<number | undefined>
  readonly gasUsed: Both<bigint>
}

/** Differences between the final states of an account. */
export interface AccountDifference {
  readonly address: Hex
  readonly balance?: Both<bigint>
  readonly nonce?: Both<bigint>
  readonly codeHash?: Both<Hex>
  readonly slots: readonly { readonly slot: Hex; readonly values: Both<Hex> }[]
}
