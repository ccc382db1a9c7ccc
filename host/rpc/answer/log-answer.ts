import type { BorrowedView } from '../../base/borrowed-view.ts'
import type { JsonChunks } from '../../base/json-chunks.ts'
import type { FoundLog } from '../../chain-types/log-filter.ts'
import { JsonStream } from '../call/result.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { logRecord } from '../format/log-record.ts'

/** Records of one piece of an answer: written in less than a millisecond. */
const PIECE = 128

/** Logs as they are answered: many of them in pieces, so that none of it stands in memory twice. */
export function logAnswer(call: RpcCall, found: readonly FoundLog[]): unknown {
  if (found.length <= PIECE) return found.map(({ log, place }) => logRecord(log, place))
  return new JsonStream(logChunks(call, found))
}

function logChunks(call: RpcCall, found: readonly FoundLog[]): JsonChunks {
  let next = 0
  const chunks: JsonChunks = {
    [Symbol.asyncIterator]: () => chunks,
    next: async () => {
      if (next >= found.length) return { done: true, value: undefined }
      const turn = call.turn()
      if (turn !== undefined) await turn
      const records = found.slice(next, next + PIECE).map(({ log, place }) => logRecord(log, place))
      const text = JSON.stringify(records).slice(1, -1)
      const opening = next === 0 ? '[' : ','
      next += PIECE
      const value: BorrowedView = {
        borrowed: Buffer.from(`${opening}${text}${next >= found.length ? ']' : ''}`),
      }
      return { done: false, value }
    },
    return: async () => {
      next = found.length
      return { done: true, value: undefined }
    },
  }
  return chunks
}
