import type { Hex } from '../../../../base/hex.ts'
import type { SourceFile, SourcePosition } from '../../sources/run-sources.ts'
import type { LinePlaces } from './breakpoint.ts'

/**
 * Executed code. Its address and whether it is creation code identify it: a created contract's init code differs from
 * the code it leaves.
 */
export interface ExecutedInstruction {
  readonly codeAddress: Hex
  readonly codeHash: Hex
  readonly pc: number
}

/** Maps the code of a run to sources. */
export interface SourceIndex {
  readonly files: readonly SourceFile[]
  positionOf(place: ExecutedInstruction): SourcePosition | undefined
  readonly placesOf: LinePlaces
  /** Returns instructions of the same code on other lines than `place`; undefined if unknown. */
  otherLines(
    place: ExecutedInstruction,
  ): { readonly codeAddress: Hex; readonly pcs: readonly number[] } | undefined
}
