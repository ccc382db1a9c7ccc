import type { BorrowedView } from '../../../base/borrowed-view.ts'
import type { FoundLog } from '../../../evm/chain-types/log-filter.ts'
import { JsonStream, RawJson } from '../call/result.ts'
import type { ReadCall } from '../call/rpc-call.ts'
import { RpcJsonWriter } from '../format/json-writer.ts'
import { writeFound } from '../format/log-record.ts'

/** Minimum bytes of a chunk, which ends after a whole log: encoded in less than a millisecond. */
const PIECE_BYTES = 128 * 1024

/** Typical size of a log without data, and reserve for the last log of a chunk. */
const LOG_BYTES = 800
const SPARE_BYTES = 4096

/** Returns the JSON of logs, streamed if there are many, so that none of it is in memory twice. */
export function logAnswer(call: ReadCall, found: readonly FoundLog[]): RawJson | JsonStream {
  const expected = Math.min(found.length * LOG_BYTES, PIECE_BYTES)
  const writer = new RpcJsonWriter(expected + SPARE_BYTES)
  const next = writePiece(writer, found, 0)
  if (next >= found.length) return new RawJson(writer.takeText())
  return new JsonStream(pieces(call, writer, found, next))
}

/** Writes a chunk of logs starting at `next`, with brackets at either end. @returns the index after the last one */
function writePiece(writer: RpcJsonWriter, found: readonly FoundLog[], next: number): number {
  if (next === 0) writer.json('[')
  let end = next
  for (; end < found.length && writer.length < PIECE_BYTES; end++) {
    if (end > 0) writer.json(',')
    writeFound(writer, found[end] as FoundLog)
  }
  if (end >= found.length) writer.json(']')
  return end
}

/** Yields the chunk already written, and those starting at the log `next`. */
async function* pieces(
  call: ReadCall,
  writer: RpcJsonWriter,
  found: readonly FoundLog[],
  next: number,
): AsyncGenerator<BorrowedView, undefined, void> {
  for (;;) {
    yield { borrowed: writer.take() }
    if (next >= found.length) return undefined
    const turn = call.yield()
    if (turn !== undefined) await turn
    next = writePiece(writer, found, next)
  }
}
