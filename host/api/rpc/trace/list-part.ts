import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { JsonChunks } from '../../../base/json-chunks.ts'
import { whole } from '../../trace-pool/trace-cache.ts'
import type { TraceOutput } from '../../trace-pool/trace-runner.ts'

/** Text before and after the items of a part (`ListTarget.part`). */
const HEAD = '{"traces":['.length
const TAIL = /\],"found":(\d+)\}$/
/** Maximum bytes of the end; an aborted part ends with only the brackets. */
const TAIL_BYTES = 64
const CLOSED = ']}'

/** The outcome of a part: the number of items found, and the error that aborted it. */
export interface PartEnd {
  readonly found: number
  readonly failure: Error | undefined
}

/**
 * Yields the items of a part of a list without the enclosing brackets, in the chunks in which they arrive. Each chunk
 * is valid until the next is requested.
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
      // The end may be in this chunk, or start in it.
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
