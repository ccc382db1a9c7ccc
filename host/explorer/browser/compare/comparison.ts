import type { Hex } from '../../../base/hex.ts'
import type { Fault } from '../fault.ts'
import type { LogNode } from '../stepper.ts'

/** A value in the first run and in the second. */
export type Both<Value> = readonly [Value, Value]

/** How two runs of a transaction differ. */
export interface Comparison {
  /**
   * The steps, of the first run and of the second, at which the same opcode of the same code finds another machine
   * for the first time: another stack, or memory of another size. Memory that differs is found once it is loaded.
   */
  readonly machine: MachineDifference | undefined
  /** The first steps that are of different places of code; one is undefined where that run has ended. */
  readonly path: Both<number | undefined> | undefined
  /** Where the paths run together again after that, as far as was looked. */
  readonly rejoin: Both<number> | undefined
  /** The first step with another amount of gas left. */
  readonly gas: number | undefined
  readonly outcome: OutcomeDifference
  /** Frames that are in both runs with other gas, and those of one run alone; the outermost first. */
  readonly frames: readonly FrameDifference[]
  readonly accounts: readonly AccountDifference[]
  /** Logs, not undone, of the first run alone and of the second alone, in their order. */
  readonly logs: Both<readonly LogNode[]>
}

export interface MachineDifference {
  readonly step: number
  /** Places of words that differ, 0 being the lowest. */
  readonly stack: readonly number[]
  readonly stackHeight: Both<number>
  readonly memorySize: Both<number>
}

/** What differs of how the runs ended. */
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

/** What the runs leave differently of an account. */
export interface AccountDifference {
  readonly address: Hex
  readonly balance?: Both<bigint>
  readonly nonce?: Both<bigint>
  readonly codeHash?: Both<Hex>
  readonly slots: readonly { readonly slot: Hex; readonly values: Both<Hex> }[]
}
