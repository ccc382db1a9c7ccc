import type { Hex } from '../../base/hex.ts'
import type { LinePlaces } from './breakpoint.ts'

/** Lines count from 1. */
export interface SourcePosition {
  readonly path: string
  readonly line: number
  readonly endLine: number
  /** Name of the function around it. */
  readonly functionName: string | undefined
}

/** Code as it ran: a place of code is one of an address, and one that is created runs another code than it leaves. */
export interface CodePlace {
  readonly codeAddress: Hex
  readonly codeHash: Hex
  readonly pc: number
}

export interface SourceFile {
  readonly path: string
  readonly text: string
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
