import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { sha256 } from '../../../chain/consensus/comet/sha256.ts'
import { codespaceOf } from '../../../chain/consensus/events/executed-transaction.ts'
import type { TransactionPool } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { Arguments } from './arguments.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import { formatHash } from './json.ts'
import {
  type CheckedTransaction,
  checkResultJson,
  NO_RESULT,
  transactionResultJson,
} from './transaction-result.ts'

/** Transactions of broadcast_tx_async that may be on their way into the mempool; more are waited for. */
const MAX_ASYNC = 256

/** The text of the mempool for a transaction that it holds. */
const KNOWN = 'already known'

/** The bytes of a transaction. @throws INVALID_ARGUMENT where there are none */
export function transactionOf(args: Arguments): Uint8Array {
  const raw = args.data('tx')
  if (raw.length === 0) {
    throw new LockstepError('INVALID_ARGUMENT', 'tx is empty, want the bytes of a transaction')
  }
  return raw
}

/**
 * Hands a transaction to the mempool. A transaction that breaks a rule is an answer, with the rule as its log; one
 * that is there already, or a mempool that takes none, is an error.
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

/** What the routes read that hand a transaction over and wait for no block. */
type PoolContext = { readonly pool: Pick<TransactionPool, 'add' | 'get'> }

async function add({ pool }: PoolContext, raw: Uint8Array): Promise<CheckedTransaction> {
  const checked = await admit(async () => {
    const hash = await pool.add(raw)
    return pool.get(hash)
  })
  if (checked.log === KNOWN) {
    throw new LockstepError('TRANSACTION_REJECTED', 'tx already exists in cache')
  }
  return checked
}

function broadcastJson(raw: Uint8Array, { code, log }: CheckedTransaction): object {
  return {
    code,
    data: '',
    log,
    codespace: codespaceOf(code),
    hash: formatHash(sha256(raw)),
  }
}

/** /broadcast_tx_sync, and /broadcast_tx: answers once the mempool has checked the transaction. */
export async function broadcastTxSync(context: PoolContext, args: Arguments): Promise<object> {
  const raw = transactionOf(args)
  return broadcastJson(raw, await add(context, raw))
}

/** Transactions that are on their way into the mempool without anybody who waits, by its context. */
const unawaited = new WeakMap<PoolContext, number>()

/** /broadcast_tx_async: answers at once, whatever the mempool will say. */
export async function broadcastTxAsync(context: PoolContext, args: Arguments): Promise<object> {
  const raw = transactionOf(args)
  const before = unawaited.get(context) ?? 0
  unawaited.set(context, before + 1)
  const added = add(context, raw)
    .catch(() => undefined)
    .finally(() => unawaited.set(context, (unawaited.get(context) ?? 1) - 1))
  if (before >= MAX_ASYNC) await added
  return broadcastJson(raw, { code: 0, log: '', gasWanted: 0n })
}

/** /check_tx: what the mempool would say; it is not given the transaction. */
export async function checkTx(
  { pool }: { readonly pool: Pick<TransactionPool, 'check'> },
  args: Arguments,
): Promise<object> {
  const raw = transactionOf(args)
  return checkResultJson(await admit(() => pool.check(raw)))
}

/** A block that holds the transaction, and the index of it there. */
interface Inclusion {
  readonly height: number
  readonly index: number
}

/** Looks for a transaction in each new block, from now on. */
class InclusionWatch {
  readonly stop: () => void
  readonly found: Promise<Inclusion>

  constructor({ heads, blockStore }: ConsensusRpcContext, raw: Uint8Array) {
    let resolve: (inclusion: Inclusion) => void = () => {}
    this.found = new Promise((settle) => {
      resolve = settle
    })
    this.stop = heads.onBlock(({ block }) => {
      const isIt = (transaction: Uint8Array) => equalBytes(transaction, raw)
      if (!block.transactions.some(isIt)) return
      const height = block.header.number
      const transactions = blockStore.block(height)?.block.transactions ?? []
      resolve({ height, index: transactions.findIndex(isIt) })
    })
  }
}

/** /broadcast_tx_commit: answers once a block holds the transaction. */
export async function broadcastTxCommit(
  context: ConsensusRpcContext,
  args: Arguments,
  { signal }: RouteCaller,
): Promise<object> {
  const raw = transactionOf(args)
  const leave = context.slots.enter()
  // It may be in a block before the mempool has answered.
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
          `(rpc.timeout-broadcast-tx-commit is ${waitMs}ms): look for its hash ${answer.hash} later`,
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
