import type { Hex } from '../../base/hex.ts'

/** Why a frame ended without success. */
export interface Fault {
  /** geth's text: `execution reverted`, `out of gas`, ... */
  readonly error: string
  /** What REVERT gave back; empty for other failures. */
  readonly output: Hex
  /** The text of Error(string), or the name and number of Panic(uint256). */
  readonly reason: string | undefined
  /** The step that failed; undefined for a failure without one (precompile, collision, depth). */
  readonly step: number | undefined
}
