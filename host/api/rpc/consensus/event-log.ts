import { LockstepError } from '../../../base/error.ts'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { EventQuery } from '../../../chain/consensus/events/event-query.ts'
import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import { BlockEvents } from './published-events.ts'

const DEFAULT_ITEMS = 10
const MAX_ITEMS = 100
const MAX_WAIT_MS = 30_000
const NANOS_PER_MS = 1_000_000

/** Maximum blocks in the log, however long its window is. */
const MAX_BLOCKS = 1000

const CURSOR = /^([\da-f]{16})-([\da-f]{4,8})$/

/** Position of an event in the log: the time of its block, and its index in the block. */
interface Cursor {
  readonly time: bigint
  readonly index: number
}

function formatCursor({ time, index }: Cursor): string {
  return `${time.toString(16).padStart(16, '0')}-${index.toString(16).padStart(4, '0')}`
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.time === b.time ? a.index < b.index : a.time < b.time
}

function readCursor(args: RouteArguments, name: string): Cursor | undefined {
  const text = args.text(name)
  if (text === '') return undefined
  const [, time, index] = CURSOR.exec(text) ?? []
  if (time === undefined || index === undefined) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `invalid cursor: ${name} is ${JSON.stringify(text)}, want a cursor returned by /events`,
    )
  }
  return { time: BigInt(`0x${time}`), index: Number.parseInt(index, 16) }
}

/** The parameters of a call. */
interface Question {
  /** Undefined matches every event. */
  readonly query: EventQuery | undefined
  readonly maxItems: number
  readonly before: Cursor | undefined
  readonly after: Cursor | undefined
  readonly waitMs: number
}

function readQuestion(args: RouteArguments): Question {
  const filter = args.json('filter')
  const text =
    typeof filter === 'object' && filter !== null ? (filter as { query?: unknown }).query : filter
  if (text !== undefined && text !== null && typeof text !== 'string') {
    throw new LockstepError('INVALID_ARGUMENT', 'filter must be an object with a string "query"')
  }
  const maxItems = args.integer('maxItems') ?? 0
  return {
    query: text ? new EventQuery(text) : undefined,
    maxItems: maxItems <= 0 ? DEFAULT_ITEMS : Math.min(maxItems, MAX_ITEMS),
    before: readCursor(args, 'before'),
    after: readCursor(args, 'after'),
    waitMs: Math.min(Math.max((args.integer('waitTime') ?? 0) / NANOS_PER_MS, 0), MAX_WAIT_MS),
  }
}

interface Item {
  readonly cursor: string
  /** For example `NewBlock`. */
  readonly event: string
  readonly data: unknown
}

/** One pass over the log, latest events first. */
class Look {
  readonly items: Item[] = []
  more = false
  oldest = ''
  newest = ''
  readonly #context: ConsensusRpcContext
  readonly #caller: RouteCaller
  readonly #question: Question

  constructor(context: ConsensusRpcContext, caller: RouteCaller, question: Question) {
    this.#context = context
    this.#caller = caller
    this.#question = question
  }

  async take(): Promise<void> {
    const { application, blockStore, eventLogWindowMs } = this.#context
    const { lastBlockHeight: latest } = application.info()
    let first = Number.NEGATIVE_INFINITY
    for (let height = latest; height >= blockStore.base && height > latest - MAX_BLOCKS; height--) {
      const time = blockStore.decided(height)?.block.header.time
      if (time === undefined) return
      const ms = Number(time) / NANOS_PER_MS
      if (height === latest) first = ms - eventLogWindowMs
      if (ms < first) return
      await this.#takeBlock(height, time)
      const { after } = this.#question
      if (this.more || (after !== undefined && time < after.time)) return
    }
  }

  async #takeBlock(height: number, time: bigint): Promise<void> {
    const { query, maxItems, before, after } = this.#question
    const events = new BlockEvents(this.#context, height)
    for (let index = events.count - 1; index >= 0; index--) {
      const turn = this.#caller.account.yield()
      if (turn !== undefined) await turn
      const cursor = { time, index }
      const text = formatCursor(cursor)
      if (this.newest === '') this.newest = text
      this.oldest = text
      if (before !== undefined && !isBefore(cursor, before)) continue
      if (after !== undefined && !isBefore(after, cursor)) return
      const event = events.at(index)
      if (event === undefined || query?.matches(event.tags) === false) continue
      if (this.items.length === maxItems) {
        this.more = true
        return
      }
      const data = JSON.parse(await event.data()) as object
      this.items.push({ cursor: text, event: event.name, data })
    }
  }
}

/** Resolves at the next block, on timeout, or when the caller disconnects. */
async function nextBlock({ heads }: ConsensusRpcContext, signal: AbortSignal, ms: number) {
  let stop = () => {}
  let timer: Timer | undefined
  try {
    await new Promise<void>((resolve) => {
      stop = heads.onBlock(() => resolve())
      timer = startTimer(resolve, ms)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  } finally {
    stop()
    stopTimer(timer)
  }
}

/**
 * Handles /events (Tendermint 0.35, seid): returns the matching events of the last blocks, latest first. With
 * `waitTime` it waits for the first match if there is none yet.
 */
export async function events(
  context: ConsensusRpcContext,
  args: RouteArguments,
  caller: RouteCaller,
): Promise<object> {
  if (context.eventLogWindowMs === 0) {
    throw new LockstepError(
      'UNSUPPORTED',
      'the event log is disabled: set rpc.event-log-window-size above 0s',
    )
  }
  const question = readQuestion(args)
  const leave = question.waitMs > 0 ? context.slots.enter() : () => {}
  const deadline = performance.now() + question.waitMs
  try {
    for (;;) {
      const look = new Look(context, caller, question)
      await look.take()
      const left = deadline - performance.now()
      const { items, more, oldest, newest } = look
      // Waiting does not produce events before a cursor.
      const isDone = items.length > 0 || left <= 0 || question.before !== undefined
      if (isDone || caller.signal.aborted) return { items, more, oldest, newest }
      await nextBlock(context, caller.signal, left)
    }
  } finally {
    leave()
  }
}
