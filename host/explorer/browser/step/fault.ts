import type { Hex } from '../../../base/hex.ts'

/** The reason why a frame failed. */
export interface Fault {
  /** geth's message: `execution reverted`, `out of gas`, ... */
  readonly error: string
  /** The output of REVERT; empty for other failures. */
  readonly output: Hex
  /** The message of Error(string), or the name and number of Panic(uint256). */
  readonly reason: string | undefined
  /** The failing step; undefined for a failure without one (precompile, collision, depth). */
  readonly step: number | undefined
}
