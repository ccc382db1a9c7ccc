import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { JsonChunks } from '../../../base/json-chunks.ts'
import { whole } from '../../trace-pool/trace-cache.ts'
import type { TraceOutput } from '../../trace-pool/trace-runner.ts'

/** What stands before the items of a part (`ListTarget.part`), and behind them. */
const HEAD = '{"traces":['.length
const TAIL = /\],"found":(\d+)\}$/
/** Bytes that a tail takes at most; a part that was broken off ends with the brackets alone. */
const TAIL_BYTES = 64
const CLOSED = ']}'

/** How a part ended: the number of items found, and the error that broke it off. */
export interface PartEnd {
  readonly found: number
  readonly failure: Error | undefined
}

/**
 * The items of a part of a list, without the brackets around them, in the pieces in which they come: each is
 * the reader's until it asks for the next.
 */
export async function* itemsOf(output: TraceOutput): AsyncGenerator<Uint8Array, PartEnd, void> {
  const chunks: JsonChunks = output instanceof Uint8Array ? whole(output) : output
  let head = HEAD
  let held: Uint8Array = EMPTY_BYTES
  try {
    while (true) {
      const step = await chunks.next()
      if (step.done === true) {
        const end = endOf(held, step.value)
        if (end.rest.length > 0) yield end.rest
        return { found: end.found, failure: step.value }
      }
      const { borrowed } = step.value
      const body = borrowed.subarray(Math.min(head, borrowed.length))
      head -= borrowed.length - body.length
      // The tail may be in this piece, or begin in it.
      const joined = body.length < TAIL_BYTES ? Buffer.concat([held, body]) : body
      if (joined === body && held.length > 0) yield held
      const cut = Math.max(0, joined.length - TAIL_BYTES)
      if (cut > 0) yield joined.subarray(0, cut)
      held = Uint8Array.from(joined.subarray(cut))
    }
  } finally {
    await chunks.return()
  }
}

function endOf(held: Uint8Array, failure: Error | undefined) {
  const text = Buffer.from(held).toString('latin1')
  const match = TAIL.exec(text)
  if (match !== null) return { rest: held.subarray(0, match.index), found: Number(match[1]) }
  if (failure === undefined) throw new TypeError(`a part of a list ends with ${text}`)
  const end = text.endsWith(CLOSED) ? held.length - CLOSED.length : held.length
  return { rest: held.subarray(0, end), found: 0 }
}
