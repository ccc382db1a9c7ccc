import type { Hex } from '../../../base/hex.ts'
import type { SourceFile, SourcePosition } from '../sources/run-sources.ts'
import type { LinePlaces } from './breakpoint.ts'

/** Code as it ran: a place of code is one of an address, and one that is created runs another code than it leaves. */
export interface CodePlace {
  readonly codeAddress: Hex
  readonly codeHash: Hex
  readonly pc: number
}

/** Where in sources the code of a run is. */
export interface SourceIndex {
  readonly files: readonly SourceFile[]
  positionOf(place: CodePlace): SourcePosition | undefined
  readonly placesOf: LinePlaces
  /** Instructions of the same code that lie on another line than `place` does; undefined where that is not known. */
  otherLines(
    place: CodePlace,
  ): { readonly codeAddress: Hex; readonly pcs: readonly number[] } | undefined
}
