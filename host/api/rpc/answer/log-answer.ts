import type { BorrowedView } from '../../../base/borrowed-view.ts'
import type { FoundLog } from '../../../evm/chain-types/log-filter.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import type { ReadCall } from '../call/rpc-call.ts'
import { JsonWriter } from '../format/json-writer.ts'
import { writeFound } from '../format/log-record.ts'

/** A piece of an answer ends behind the log that brings it to this many bytes: written in less than a millisecond. */
const PIECE_BYTES = 128 * 1024

/** What a log without data takes, about, and room for the last one of a piece. */
const LOG_BYTES = 800
const SPARE_BYTES = 4096

/** Logs as they are answered: many of them in pieces, so that none of it stands in memory twice. */
export function logAnswer(call: ReadCall, found: readonly FoundLog[]): RawJson | JsonStream {
  const expected = Math.min(found.length * LOG_BYTES, PIECE_BYTES)
  const writer = new JsonWriter(expected + SPARE_BYTES)
  const next = writePiece(writer, found, 0)
  if (next >= found.length) return new RawJson(writer.takeText())
  return new JsonStream(pieces(call, writer, found, next))
}

/** Writes the logs from `next` on that make a piece, with the brackets at either end. @returns the log behind them */
function writePiece(writer: JsonWriter, found: readonly FoundLog[], next: number): number {
  if (next === 0) writer.json('[')
  let end = next
  for (; end < found.length && writer.length < PIECE_BYTES; end++) {
    if (end > 0) writer.json(',')
    writeFound(writer, found[end] as FoundLog)
  }
  if (end >= found.length) writer.json(']')
  return end
}

/** The piece that is written, and those from the log `next` on. */
async function* pieces(
  call: ReadCall,
  writer: JsonWriter,
  found: readonly FoundLog[],
  next: number,
): AsyncGenerator<BorrowedView, undefined, void> {
  for (;;) {
    yield { borrowed: writer.take() }
    if (next >= found.length) return undefined
    const turn = call.turn()
    if (turn !== undefined) await turn
    next = writePiece(writer, found, next)
  }
}
