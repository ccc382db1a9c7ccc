import type { ThreadContext } from '../call/context.ts'
import { heldTooMuch } from '../call/error.ts'
import type { Caller } from '../call/rpc-call.ts'
import { type Parsed, parseBody } from './jsonrpc.ts'
import { MAX_DEPTH, RequestScan } from './request-scan.ts'

/** A request of at most this length may be read and answered at once. */
export const SHORT_BYTES: number = 8 * 1024
/** Milliseconds that reading a byte of a request takes, by which the time of a long request is expected. */
const MS_PER_BYTE = 4e-6

/** Memory of a request while it is worked on: copies of its text, and bytes of objects for each of its values. */
const TEXT_COPIES = 2
const BYTES_PER_VALUE = 64

/** A request that was read in turns; its memory is counted for its client until it is released. */
export interface ReadRequest {
  readonly parsed: Parsed
  release(): void
}

/**
 * Reads a request in the turns of its client; undefined where the client has gone.
 * @throws CLIENT_LIMIT, PARSE_ERROR
 */
export async function readInTurns(
  body: Uint8Array,
  { account, signal }: Caller,
  { limits, work }: Pick<ThreadContext, 'limits' | 'work'>,
): Promise<ReadRequest | undefined> {
  const first = account.turn(body.length * MS_PER_BYTE)
  if (first !== undefined) await first
  if (signal.aborted) return undefined
  const scan = new RequestScan(body, { values: limits.requestValues, depth: MAX_DEPTH })
  while (!scan.step()) {
    const next = account.turn()
    if (next !== undefined) await next
  }
  const bytes = body.length * TEXT_COPIES + scan.values * BYTES_PER_VALUE
  if (!account.admits(bytes)) throw heldTooMuch(work.maxHeldBytes)
  account.hold(bytes)
  // Parsing cannot be stopped: it begins with a turn of its own.
  const parsing = body.length > SHORT_BYTES ? account.turn(body.length * MS_PER_BYTE) : undefined
  if (parsing !== undefined) await parsing
  return { parsed: parseBody(body, scan), release: () => account.hold(-bytes) }
}
