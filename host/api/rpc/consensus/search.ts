import { LockstepError } from '../../../base/error.ts'
import { sha256 } from '../../../chain/consensus/comet/sha256.ts'
import { EventQuery } from '../../../chain/consensus/events/event-query.ts'
import { eventTags } from '../../../chain/consensus/events/event-tags.ts'
import { transactionEvents } from '../../../chain/consensus/events/transaction-events.ts'
import type { IndexedPosition } from '../../transaction-index/hash-rows.ts'
import type { RouteArguments } from './arguments.ts'
import { blockResult } from './block-result.ts'
import type { ConsensusRpcContext, RouteCaller, SearchIndex } from './context.ts'
import { resolvePage } from './height.ts'
import { formatHash } from './json.ts'
import {
  type HeightRange,
  heightRange,
  requiredAddress,
  requiredEvmHash,
  requiredHash,
  requiredLogs,
} from './search-plan.ts'
import { indexOf, transactionJson } from './transaction.ts'

/** The state of a search: what it has examined and found, and its limits. */
class Search {
  readonly #context: ConsensusRpcContext
  readonly #caller: RouteCaller
  #looked = 0
  #found = 0

  constructor(context: ConsensusRpcContext, caller: RouteCaller) {
    this.#context = context
    this.#caller = caller
  }

  /** Counts an examined transaction or block, and yields to other clients. */
  async look(): Promise<void> {
    const { scan } = this.#context.searchLimits
    if (++this.#looked > scan) {
      throw new LockstepError(
        'LIMIT_EXCEEDED',
        `the search examines more than ${scan} transactions and blocks (rpc.max-search-scan-budget): ` +
          'restrict the height, or require a sender, recipient, log address, log topic or hash with =',
      )
    }
    const turn = this.#caller.account.yield()
    if (turn !== undefined) await turn
    this.#caller.signal.throwIfAborted()
  }

  find(): void {
    const { results } = this.#context.searchLimits
    if (++this.#found > results) {
      throw new LockstepError(
        'LIMIT_EXCEEDED',
        `more than ${results} match (rpc.max-tx-search-results): restrict the height`,
      )
    }
  }
}

function parseQuery(args: RouteArguments): EventQuery {
  return new EventQuery(args.text('query'))
}

/** Returns true if the latest result comes first. */
function isDescending(args: RouteArguments, byDefault: boolean): boolean {
  const order = args.text('order_by')
  if (order === '') return byDefault
  if (order === 'asc' || order === 'desc') return order === 'desc'
  throw new LockstepError(
    'QUERY_INVALID',
    `expected order_by to be either \`asc\` or \`desc\` or empty, got ${JSON.stringify(order)}`,
  )
}

/** Returns the range of heights whose blocks and receipts are available. */
function keptHeights({ executed, blockStore, application }: ConsensusRpcContext): HeightRange {
  const from = Math.max(executed.earliest, blockStore.base, 1)
  return { from, to: Math.min(executed.latest, application.info().lastBlockHeight) }
}

/** Yields all transactions of a block. */
function* placesOf({ executed }: ConsensusRpcContext, height: number): Generator<IndexedPosition> {
  const count = executed.receipts(height)?.length ?? 0
  for (let index = 0; index < count; index++) yield { height, index }
}

/**
 * Yields, by height, a superset of the places that match the query; undefined stands for a height without candidates.
 */
async function* candidates(
  context: ConsensusRpcContext,
  index: SearchIndex,
  query: EventQuery,
): AsyncGenerator<IndexedPosition | undefined, void> {
  const { executed } = context
  const { from, to } = heightRange(query, 'tx.height', keptHeights(context))
  const hash = requiredHash(query)
  const evmHash = requiredEvmHash(query)
  if (hash !== undefined || evmHash !== undefined) {
    const place =
      hash === undefined ? executed.locate(evmHash as Uint8Array) : await index.find(hash)
    if (place !== undefined && place.height >= from && place.height <= to) yield place
    return
  }
  const address = requiredAddress(query)
  const logs = address === undefined ? requiredLogs(query) : undefined
  let next = from
  if (address !== undefined) {
    const indexed = index.height
    yield* index.places(address.kind, address.address, from, Math.min(to, indexed))
    // Blocks added while the index was read are in the chain as well.
    next = Math.max(from, indexed + 1)
  }
  if (logs !== undefined) {
    for (const height of executed.logHeights(logs, from, to)) yield* placesOf(context, height)
    return
  }
  for (let height = next; height <= to; height++) {
    yield undefined
    yield* placesOf(context, height)
  }
}

function matches({ executed }: ConsensusRpcContext, query: EventQuery, place: IndexedPosition) {
  const { height, index } = place
  const raw = executed.transaction(height, index)
  const placed = executed.receipt(height, index)
  if (raw === undefined || placed === undefined) return false
  const tags = eventTags(transactionEvents(raw, placed.receipt), [
    ['tm.event', 'Tx'],
    ['tx.hash', formatHash(sha256(raw))],
    ['tx.height', String(height)],
  ])
  return query.matches(tags)
}

/** Handles /tx_search. */
export async function searchTransactions(
  context: ConsensusRpcContext,
  args: RouteArguments,
  caller: RouteCaller,
): Promise<object> {
  const index = indexOf(context, 'transaction')
  const query = parseQuery(args)
  const descends = isDescending(args, false)
  const prove = args.boolean('prove')
  const search = new Search(context, caller)
  const found: IndexedPosition[] = []
  for await (const place of candidates(context, index, query)) {
    await search.look()
    if (place === undefined || !matches(context, query, place)) continue
    search.find()
    found.push(place)
  }
  if (descends) found.reverse()
  const [start, end] = resolvePage(args.integer('page'), args.integer('per_page'), found.length)
  const txs: object[] = []
  for (const place of found.slice(start, end)) {
    const turn = caller.account.yield()
    if (turn !== undefined) await turn
    txs.push(transactionJson(context, place, prove))
  }
  return { txs, total_count: String(found.length) }
}

/** Handles /block_search. */
export async function searchBlocks(
  context: ConsensusRpcContext,
  args: RouteArguments,
  caller: RouteCaller,
): Promise<object> {
  indexOf(context, 'block')
  const query = parseQuery(args)
  const descends = isDescending(args, true)
  const search = new Search(context, caller)
  const found: number[] = []
  const { from, to } = heightRange(query, 'block.height', keptHeights(context))
  for (let height = from; height <= to; height++) {
    await search.look()
    if (!query.matches(eventTags([], [['block.height', String(height)]]))) continue
    search.find()
    found.push(height)
  }
  if (descends) found.reverse()
  const [start, end] = resolvePage(args.integer('page'), args.integer('per_page'), found.length)
  const blocks: object[] = []
  for (const height of found.slice(start, end)) {
    const turn = caller.account.yield()
    if (turn !== undefined) await turn
    blocks.push(blockResult(context.blockStore.decided(height)))
  }
  return { blocks, total_count: String(found.length) }
}
