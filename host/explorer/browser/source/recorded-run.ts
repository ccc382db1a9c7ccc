import { LockstepError } from '../../../base/error.ts'
import type { StateSource } from '../../../client/remote-node/remote-state.ts'
import { runFetching } from '../../../client/remote-node/run-fetching.ts'
import { logsDigest } from '../../../evm/chain-types/log.ts'
import { encodeReceipt, type Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import type { Outcome } from '../../../evm/engine/outcome.ts'
import type { BlockEngine, SystemCall } from '../../../evm/execute/block-engine.ts'
import { drainDao } from '../../../evm/execute/ethereum/dao.ts'
import { beginPlan } from '../../../evm/execute/replay/plan-run.ts'
import type {
  PlannedTransaction,
  PlanStart,
  ReplayPlan,
} from '../../../evm/execute/replay/replay-plan.ts'
import { runUntil } from '../../../evm/execute/run-until.ts'
import { transactNew } from '../../../evm/execute/transact.ts'
import { OverlayState } from '../../../evm/state/overlay-state.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { Bundle } from '../../../evm/trace/bundle/bundle.ts'
import { RECORDING_SINK, recordPlan } from '../../../evm/trace/bundle/record-plan.ts'

/** The engine that runs transactions. */
export interface RunEngine {
  readonly engine: BlockEngine
  /** SHA-256 of its engine.wasm: 64 hex digits. */
  readonly engineHash: string
  readonly signal: AbortSignal
}

/** Consecutive transactions of a block to run on a state; the last one is recorded. */
export interface RunRequest {
  readonly env: BlockEnv
  readonly blockHash: Uint8Array
  /** The protocol's calls before the first transaction. */
  readonly systemCalls: readonly SystemCall[]
  /** The block is the DAO fork block, which moves balances before its first transaction (EIP-779). */
  readonly isDao: boolean
  /** Up to and including the recorded one. */
  readonly transactions: readonly Transaction[]
  /** Receipts of the node, one per transaction. */
  readonly receipts: readonly Receipt[]
  /** Position of the first transaction in the block. */
  readonly first: PlanStart
  /** The state before the first transaction and the protocol's calls. */
  readonly state: StateSource
}

/**
 * Runs transactions on a remote state and records the reads of the last one. The bundle has the node's receipt; a
 * replay shows whether the run differs from it.
 * @throws TRACE_DIFFERS if a transaction before the last one runs differently from the node's receipt, or the last
 * one is rejected; what fetching the state throws
 */
export async function recordRun(place: RunEngine, request: RunRequest): Promise<Bundle> {
  const { engine, engineHash, signal } = place
  const plan = planOf(request)
  const { state, isDao } = request
  const prepared = (view: StateView): StateView => (isDao ? drained(view) : view)
  const last = await runFetching(state, (view) => explore(place, plan, prepared(view)))
  if (last.kind === 'rejected') {
    throw new LockstepError(
      'TRACE_DIFFERS',
      `the node has a receipt of the transaction, but the engine rejects it: ${last.code}`,
    )
  }
  const planned = plan.transactions.at(-1) as PlannedTransaction
  // Recorded as it runs here: a difference from the node's receipt does not stop the recording; a replay reports it.
  const asRun = { transaction: planned.transaction, gasUsed: last.gasUsed }
  const recorded = await runFetching(state, (view) =>
    recordPlan(
      {
        engine,
        plan: { ...plan, transactions: [...plan.transactions.slice(0, -1), asRun] },
        view: prepared(view),
        signal,
        onReplayed: () => {},
      },
      'transaction',
    ),
  )
  const { gasUsed } = planned
  return {
    engineHash,
    scope: 'transaction',
    reads: recorded.reads,
    plan: {
      ...recorded.plan,
      transactions: [{ transaction: planned.transaction, gasUsed }],
      first: startOf(request),
    },
    outcomes: [{ receipt: encodeReceipt(request.receipts.at(-1) as Receipt), digests: undefined }],
  }
}

function planOf(request: RunRequest): ReplayPlan {
  const { env, blockHash, systemCalls, transactions, receipts, first } = request
  return {
    height: env.number,
    blockHash,
    env,
    systemCalls,
    first,
    transactions: transactions.map((transaction, i) => {
      const { gasUsed, status, stateRoot, logs } = receipts[i] as Receipt
      const success = stateRoot === undefined ? status === 1 : undefined
      return { transaction, gasUsed, outcome: { success, logs: logsDigest(logs) } }
    }),
  }
}

/** Returns the position of the recorded transaction, by the receipts. */
function startOf({ first, receipts }: RunRequest): PlanStart {
  const before = receipts.slice(0, -1)
  const last = receipts.at(-1) as Receipt
  return {
    index: first.index + before.length,
    logIndex: before.reduce((count, { logs }) => count + logs.length, first.logIndex),
    cumulativeGasUsed: last.cumulativeGasUsed - last.gasUsed,
  }
}

/** Runs all transactions, even after a difference. Returns the outcome of the last. */
async function explore(
  { engine, signal }: RunEngine,
  plan: ReplayPlan,
  view: StateView,
): Promise<Outcome> {
  await beginPlan({ engine, plan, view, signal })
  let outcome: Outcome | undefined
  const last = plan.transactions.length - 1
  for (const [i, { transaction }] of plan.transactions.entries()) {
    const run = transactNew(engine, transaction, i === last ? { trace: RECORDING_SINK } : {})
    outcome = await runUntil(run, view, signal)
  }
  return outcome as Outcome
}

function drained(view: StateView): StateView {
  const state = new OverlayState(view)
  drainDao(state)
  return state
}
