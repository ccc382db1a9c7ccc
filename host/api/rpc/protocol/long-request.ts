import type { WorkScheduler } from '../../server/work-scheduler.ts'
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

/** Waits for the client's turn to have a long request read; false where the client has gone. */
export async function turnToRead(body: Uint8Array, { account, signal }: Caller): Promise<boolean> {
  const turn = account.turn(body.length * MS_PER_BYTE)
  if (turn !== undefined) await turn
  return !signal.aborted
}

/**
 * Counts the memory of a request for its client; gives up what was counted when it is called.
 * @throws CLIENT_LIMIT
 */
export function holdRequest(
  body: Uint8Array,
  values: number,
  { account }: Caller,
  work: WorkScheduler,
): () => void {
  const bytes = body.length * TEXT_COPIES + values * BYTES_PER_VALUE
  if (!account.admits(bytes)) throw heldTooMuch(work.maxHeldBytes)
  account.hold(bytes)
  return () => account.hold(-bytes)
}

/**
 * Reads a request in the turns of its client, the first of which has begun.
 * @throws CLIENT_LIMIT, PARSE_ERROR
 */
export async function readInTurns(
  body: Uint8Array,
  caller: Caller,
  { limits, work }: Pick<ThreadContext, 'limits' | 'work'>,
): Promise<ReadRequest> {
  const { account } = caller
  const scan = new RequestScan(body, { values: limits.requestValues, depth: MAX_DEPTH })
  while (!scan.step()) {
    const next = account.turn()
    if (next !== undefined) await next
  }
  const release = holdRequest(body, scan.values, caller, work)
  // Parsing cannot be stopped: it begins with a turn of its own.
  const parsing = body.length > SHORT_BYTES ? account.turn(body.length * MS_PER_BYTE) : undefined
  if (parsing !== undefined) await parsing
  return { parsed: parseBody(body, scan), release }
}
