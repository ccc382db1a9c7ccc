import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { sha256 } from '../../../chain/consensus/comet/sha256.ts'
import { codespaceOf } from '../../../chain/consensus/events/executed-transaction.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import { formatHash } from './json.ts'
import {
  checkResultJson,
  type MempoolCheckResult,
  NO_RESULT,
  transactionResultJson,
} from './transaction-result.ts'

/** Maximum transactions of broadcast_tx_async in flight to the mempool; above it the calls wait. */
const MAX_ASYNC = 256

/** The mempool's message for a transaction that it already contains. */
const KNOWN = 'already known'

/** Returns the bytes of a transaction. @throws INVALID_ARGUMENT if they are empty */
export function transactionOf(args: RouteArguments): Uint8Array {
  const raw = args.data('tx')
  if (raw.length === 0) {
    throw new LockstepError('INVALID_ARGUMENT', 'tx is empty, want the bytes of a transaction')
  }
  return raw
}

/**
 * Submits a transaction to the mempool. A violated rule is a result with the rule as its log. A known transaction, or
 * a mempool that accepts none, is an error.
 */
async function admit(work: () => Promise<{ readonly gas: bigint } | undefined>) {
  try {
    const transaction = await work()
    return { code: 0, log: '', gasWanted: transaction?.gas ?? 0n }
  } catch (thrown) {
    if (!(thrown instanceof LockstepError) || thrown.code !== 'TRANSACTION_REJECTED') throw thrown
    return { code: 1, log: thrown.message, gasWanted: 0n }
  }
}

/** What the routes need that submit a transaction without waiting for a block. */
type PoolContext = { readonly pool: Pick<TransactionPool, 'add' | 'get'> }

async function add({ pool }: PoolContext, raw: Uint8Array): Promise<MempoolCheckResult> {
  const checked = await admit(async () => {
    const hash = await pool.add(raw)
    return pool.get(hash)
  })
  if (checked.log === KNOWN) {
    throw new LockstepError('TRANSACTION_REJECTED', 'tx already exists in cache')
  }
  return checked
}

function broadcastJson(raw: Uint8Array, { code, log }: MempoolCheckResult): object {
  return {
    code,
    data: '',
    log,
    codespace: codespaceOf(code),
    hash: formatHash(sha256(raw)),
  }
}

/** Handles /broadcast_tx_sync and /broadcast_tx: answers after the mempool has checked the transaction. */
export async function broadcastTxSync(context: PoolContext, args: RouteArguments): Promise<object> {
  const raw = transactionOf(args)
  return broadcastJson(raw, await add(context, raw))
}

/** Number of unawaited transactions in flight to the mempool, by its context. */
const unawaited = new WeakMap<PoolContext, number>()

/** Handles /broadcast_tx_async: answers immediately, regardless of the mempool's check. */
export async function broadcastTxAsync(
  context: PoolContext,
  args: RouteArguments,
): Promise<object> {
  const raw = transactionOf(args)
  const before = unawaited.get(context) ?? 0
  unawaited.set(context, before + 1)
  const added = add(context, raw)
    .catch(() => undefined)
    .finally(() => unawaited.set(context, (unawaited.get(context) ?? 1) - 1))
  if (before >= MAX_ASYNC) await added
  return broadcastJson(raw, { code: 0, log: '', gasWanted: 0n })
}

/** Handles /check_tx: returns the mempool's check without submitting the transaction. */
export async function checkTx(
  { pool }: { readonly pool: Pick<TransactionPool, 'check'> },
  args: RouteArguments,
): Promise<object> {
  const raw = transactionOf(args)
  return checkResultJson(await admit(() => pool.check(raw)))
}

/** The block that includes a transaction, and its index there. */
interface Inclusion {
  readonly height: number
  readonly index: number
}

/** Watches new blocks for a transaction. */
class InclusionWatch {
  readonly stop: () => void
  readonly found: Promise<Inclusion>

  constructor({ heads, blockStore }: ConsensusRpcContext, raw: Uint8Array) {
    const { promise, resolve } = Promise.withResolvers<Inclusion>()
    this.found = promise
    this.stop = heads.onBlock(({ block }) => {
      const isIt = (transaction: Uint8Array) => equalBytes(transaction, raw)
      if (!block.transactions.some(isIt)) return
      const height = block.header.number
      const transactions = blockStore.block(height)?.block.transactions ?? []
      resolve({ height, index: transactions.findIndex(isIt) })
    })
  }
}

/** Handles /broadcast_tx_commit: answers when a block includes the transaction. */
export async function broadcastTxCommitEmbedded(
  context: ConsensusRpcContext,
  args: RouteArguments,
  { signal }: RouteCaller,
): Promise<object> {
  const raw = transactionOf(args)
  const leave = context.slots.enter()
  // Watches first, because a block may include it before the mempool has answered.
  const watch = new InclusionWatch(context, raw)
  let timer: Timer | undefined
  try {
    const checked = await add(context, raw).catch((thrown) => {
      throw new LockstepError(
        'TRANSACTION_REJECTED',
        `error on broadcastTxCommit: ${messageOf(thrown)}`,
      )
    })
    const answer = { check_tx: checkResultJson(checked), hash: formatHash(sha256(raw)) }
    if (checked.code !== 0) return { ...answer, tx_result: NO_RESULT, height: '0' }
    const waitMs = context.timeoutBroadcastTxCommitMs
    const included = await Promise.race([
      watch.found,
      new Promise<undefined>((resolve) => {
        timer = startTimer(() => resolve(undefined), waitMs)
        signal.addEventListener('abort', () => resolve(undefined), { once: true })
      }),
    ])
    if (included === undefined) {
      throw new LockstepError(
        'SYNC_TIMEOUT',
        'timed out waiting for tx to be included in a block ' +
          `(rpc.timeout-broadcast-tx-commit is ${waitMs}ms): query its hash ${answer.hash} later`,
      )
    }
    const { height, index } = included
    const result = transactionResultJson(context, height, index)
    return { ...answer, tx_result: result, height: String(height) }
  } finally {
    stopTimer(timer)
    watch.stop()
    leave()
  }
}
