import type { Hex } from '../../../../base/hex.ts'

/** A piece of a sentence: text, or something that the page renders as a link or control. */
export type Piece =
  | string
  | { readonly kind: 'address'; readonly address: Hex; readonly text: string }
  /** A frame of the run, by its index. */
  | { readonly kind: 'call'; readonly call: number; readonly text: string }
  | { readonly kind: 'step'; readonly step: number; readonly text: string }
  /** Code: a function, an error, an opcode, a value. */
  | { readonly kind: 'code'; readonly text: string }

/** A sentence, or several. */
export type Phrase = readonly Piece[]

export function phraseText(phrase: Phrase): string {
  return phrase.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')
}

export function codePiece(text: string): Piece {
  return { kind: 'code', text }
}
