import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatQuantity } from '../../../base/hex.ts'
import type { JsonChunks } from '../../../base/json-chunks.ts'
import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { TraceOutput } from '../../trace-pool/trace-runner.ts'
import { JsonStream } from '../call/result.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { checkTraceable, planContext, startTrace } from '../debug/run-trace.ts'
import { blockRangeOf } from '../resolve/log-search.ts'
import { type Candidate, candidatesOf } from './candidates.ts'
import type { TraceFilter } from './filter-argument.ts'
import { itemsOf, type PartEnd } from './list-part.ts'
import { LIST_TRACER, optionsOf } from './trace-types.ts'

/** Streams the traces between addresses in a range of blocks, in chain order. */
export async function traceFilter(call: MethodCall, filter: TraceFilter): Promise<unknown> {
  const { context } = call
  const [first, last] = blockRangeOf(context, { ...filter, blockHash: undefined })
  if (filter.count === 0) return []
  const candidates = candidatesOf(call, filter, Math.max(first, 1), last)
  // Without a count the whole range is traced, so a range that is too long is rejected immediately.
  const blocks = filter.count === undefined ? await collect(call, filter, candidates) : candidates
  const pieces = join(call, filter, blocks)
  // An error before the first trace becomes the error response.
  const head = await pieces.next()
  if (head.done === true && head.value !== undefined) throw head.value
  return new JsonStream(beginningWith(head, pieces))
}

function tooManyBlocks({ context }: MethodCall, filter: TraceFilter, next: number): LockstepError {
  const { addressIndex, limits } = context
  const { traceFilterBlocks: limit } = limits
  const isNamed = filter.from.length + filter.to.length > 0
  const other =
    addressIndex === undefined
      ? `set evm.address_index = true${isNamed ? '' : ' and add addresses'}`
      : `name ${isNamed ? 'fewer' : 'some'} addresses`
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `trace_filter replays more than ${limit} blocks: use blocks below ${formatQuantity(next)}, ` +
      `${other}, or raise evm.max_trace_filter_blocks`,
    { data: { limit, key: 'evm.max_trace_filter_blocks', next: formatQuantity(next) } },
  )
}

async function collect(
  call: MethodCall,
  filter: TraceFilter,
  candidates: AsyncIterable<Candidate>,
): Promise<Candidate[]> {
  const limit = call.context.limits.traceFilterBlocks
  const found: Candidate[] = []
  for await (const candidate of candidates) {
    if (limit > 0 && found.length === limit) throw tooManyBlocks(call, filter, candidate.height)
    found.push(candidate)
  }
  return found
}

const encoder = new TextEncoder()
const piece = (bytes: Uint8Array | string): BorrowedView => ({
  borrowed: typeof bytes === 'string' ? encoder.encode(bytes) : bytes,
})

type Pieces = AsyncGenerator<BorrowedView, Error | undefined, void>

/** Joins the traces of all blocks to one list. Each block runs after the traces of the previous one are consumed. */
async function* join(
  call: MethodCall,
  filter: TraceFilter,
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
): Pieces {
  const { limits } = call.context
  const deadline = performance.now() + limits.traceTimeoutMs
  let { after, count: left = Number.POSITIVE_INFINITY } = filter
  let blocks = 0
  let hasBegun = false
  let hasItems = false
  try {
    for await (const candidate of candidates) {
      if (limits.traceFilterBlocks > 0 && ++blocks > limits.traceFilterBlocks) {
        throw tooManyBlocks(call, filter, candidate.height)
      }
      const output = await runPart(call, filter, candidate, { after, count: left }, deadline)
      if (!hasBegun) yield piece('[')
      hasBegun = true
      const end: PartEnd = yield* itemPieces(itemsOf(output), hasItems)
      const { found, failure } = end
      hasItems ||= found > after
      if (failure !== undefined) throw failure
      left -= Math.max(0, Math.min(found - after, left))
      after = Math.max(0, after - found)
      if (left === 0) break
    }
  } catch (thrown) {
    if (hasBegun) yield piece(']')
    return thrown instanceof Error ? thrown : new Error(messageOf(thrown))
  }
  yield piece(hasBegun ? ']' : '[]')
  return undefined
}

/** Yields the items of one block, preceded by a comma if earlier blocks have items. */
async function* itemPieces(
  items: ReturnType<typeof itemsOf>,
  hasItems: boolean,
): AsyncGenerator<BorrowedView, PartEnd, void> {
  try {
    let needsComma = hasItems
    let step = await items.next()
    for (; step.done !== true; step = await items.next()) {
      if (needsComma) yield piece(',')
      needsComma = false
      yield piece(step.value)
    }
    return step.value
  } finally {
    // Closes the trace of the block if the reader stops.
    await items.return({ found: 0, failure: undefined })
  }
}

function runPart(
  call: MethodCall,
  { from, to, isUnion }: TraceFilter,
  { height, watched, rewards }: Candidate,
  part: { readonly after: number; readonly count: number },
  deadline: number,
): Promise<TraceOutput> {
  const { context } = call
  checkTraceable(context, height)
  const list = { tail: rewards, part, ...(watched !== undefined && { watched }) }
  const count = watched === undefined ? undefined : (watched.at(-1) ?? -1) + 1
  const plan = planReplay(planContext(context), height, count)
  const options = optionsOf({ filter: { from, to, isUnion } })
  const timeoutMs = Math.max(1, deadline - performance.now())
  return startTrace(
    call,
    LIST_TRACER,
    { ...options, timeoutMs },
    {
      job: { plan, target: { kind: 'list', list } },
      view: context.history.before(height),
    },
  )
}

/** Puts back a piece that was already read. */
function beginningWith(
  head: IteratorResult<BorrowedView, Error | undefined>,
  rest: Pieces,
): JsonChunks {
  let first: typeof head | undefined = head
  const chunks: JsonChunks = {
    [Symbol.asyncIterator]: () => chunks,
    next: async () => {
      const step = first ?? (await rest.next())
      first = undefined
      return step
    },
    return: () => rest.return(undefined),
  }
  return chunks
}
