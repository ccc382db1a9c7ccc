import type { WorkScheduler } from '../../server/work-scheduler.ts'
import type { WorkerContext } from '../call/context.ts'
import { clientMemoryExceeded } from '../call/error.ts'
import type { Caller } from '../call/rpc-call.ts'
import { type Parsed, parseRpcBody } from './jsonrpc.ts'
import { MAX_DEPTH, RequestScan } from './request-scan.ts'

/** A request of at most this length may be parsed and answered at once. */
export const SHORT_BYTES: number = 8 * 1024
/** Expected parse time in milliseconds per byte, for scheduling long requests. */
const MS_PER_BYTE = 4e-6

/** Memory of a request in progress: copies of its text, and object bytes for each value. */
const TEXT_COPIES = 2
const BYTES_PER_VALUE = 64

/** A request that was parsed with yields. Its memory is charged to its client until released. */
export interface ParsedRequest {
  readonly parsed: Parsed
  release(): void
}

/** Waits until a long request may be parsed; resolves with false if the client has disconnected. */
export async function yieldToParse(
  body: Uint8Array,
  { account, signal }: Caller,
): Promise<boolean> {
  const turn = account.yield(body.length * MS_PER_BYTE)
  if (turn !== undefined) await turn
  return !signal.aborted
}

/**
 * Reserves the memory of a request for its client; returns a function that releases it.
 * @throws CLIENT_LIMIT
 */
export function reserveRequest(
  body: Uint8Array,
  values: number,
  { account }: Caller,
  work: WorkScheduler,
): () => void {
  const bytes = body.length * TEXT_COPIES + values * BYTES_PER_VALUE
  if (!account.admits(bytes)) throw clientMemoryExceeded(work.maxHeldBytes)
  account.reserve(bytes)
  return () => account.reserve(-bytes)
}

/**
 * Parses a request, yielding to other clients. The caller has yielded once before.
 * @throws CLIENT_LIMIT, PARSE_ERROR
 */
export async function parseYielding(
  body: Uint8Array,
  caller: Caller,
  { limits, work }: Pick<WorkerContext, 'limits' | 'work'>,
): Promise<ParsedRequest> {
  const { account } = caller
  const scan = new RequestScan(body, { values: limits.requestValues, depth: MAX_DEPTH })
  while (!scan.step()) {
    const next = account.yield()
    if (next !== undefined) await next
  }
  const release = reserveRequest(body, scan.values, caller, work)
  // JSON.parse cannot be interrupted, so yield before it.
  const parsing = body.length > SHORT_BYTES ? account.yield(body.length * MS_PER_BYTE) : undefined
  if (parsing !== undefined) await parsing
  return { parsed: parseRpcBody(body, scan), release }
}
