import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import type { ReadCall } from '../call/rpc-call.ts'

/** Characters of a chunk; a result up to this length is not streamed. */
const PIECE = 64 * 1024

/**
 * Joins the texts of a result, yielding to other clients between them: one string if it is short, otherwise a stream
 * that follows the reader. Each text must take less than a millisecond.
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
    const turn = call.yield()
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

/** Yields the JSON of an array of values, in parts. */
export function arrayTexts(items: Iterable<unknown>): Generator<string> {
  return joinedTexts(encoded(items))
}

/** Yields an array of values that are JSON already, in parts. */
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

/** Yields the JSON of an object, in parts, from its member names and the texts of their values. */
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
