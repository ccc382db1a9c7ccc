import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import type { ReadCall } from '../call/rpc-call.ts'

/** Characters of a piece; a result that is no longer is answered whole. */
const PIECE = 64 * 1024

/**
 * A result that is written text by text, with turns for others between them: whole where it is short, else as
 * fast as it is read. A text is no more than a millisecond's work.
 */
export async function jsonPieces(
  call: ReadCall,
  texts: Iterator<string>,
): Promise<RawJson | JsonStream> {
  const first = await nextPiece(call, texts)
  return first.isLast ? new RawJson(first.text) : new JsonStream(pieces(call, texts, first.text))
}

interface Piece {
  readonly text: string
  readonly isLast: boolean
}

async function nextPiece(call: ReadCall, texts: Iterator<string>): Promise<Piece> {
  let text = ''
  while (text.length <= PIECE) {
    const turn = call.turn()
    if (turn !== undefined) await turn
    const step = texts.next()
    if (step.done === true) return { text, isLast: true }
    text += step.value
  }
  return { text, isLast: false }
}

async function* pieces(
  call: ReadCall,
  texts: Iterator<string>,
  first: string,
): AsyncGenerator<BorrowedView, Error | undefined, void> {
  yield { borrowed: Buffer.from(first) }
  for (;;) {
    const { text, isLast } = await nextPiece(call, texts)
    if (text !== '') yield { borrowed: Buffer.from(text) }
    if (isLast) return undefined
  }
}

/** The texts of an array of values. */
export function arrayTexts(items: Iterable<unknown>): Generator<string> {
  return joinedTexts(encoded(items))
}

/** The texts of an array of values that are JSON already. */
export function* joinedTexts(texts: Iterable<string>): Generator<string> {
  let before = '['
  for (const text of texts) {
    yield before + text
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function* encoded(items: Iterable<unknown>): Generator<string> {
  for (const item of items) yield JSON.stringify(item)
}

/** The texts of an object, by the members that `members` gives with the texts of their values. */
export function* objectTexts(
  members: Iterable<readonly [name: string, texts: Iterable<string>]>,
): Generator<string> {
  let before = '{'
  for (const [name, texts] of members) {
    yield `${before}${JSON.stringify(name)}:`
    yield* texts
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
