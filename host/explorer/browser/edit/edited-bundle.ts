import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { encodeReceipt } from '../../../evm/chain-types/receipt.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { BlockEnv, Leniency } from '../../../evm/engine/message.ts'
import type { Executed } from '../../../evm/engine/outcome.ts'
import type { BlockEngine } from '../../../evm/execute/block-engine.ts'
import { makeReceipt } from '../../../evm/execute/receipt.ts'
import { rejectionText } from '../../../evm/execute/rejection-text.ts'
import { replayFirst } from '../../../evm/execute/replay/plan-run.ts'
import {
  BLOCK_START,
  type PlannedTransaction,
  type PlanStart,
} from '../../../evm/execute/replay/replay-plan.ts'
import { runUntil } from '../../../evm/execute/run-until.ts'
import { minedLeniency } from '../../../evm/execute/transact.ts'
import { decodeAccount } from '../../../evm/state/account.ts'
import { OverlayState } from '../../../evm/state/overlay-state.ts'
import { RecordedState } from '../../../evm/state/recorded-state.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { Bundle } from '../../../evm/trace/bundle/bundle.ts'
import { RECORDING_SINK } from '../../../evm/trace/bundle/record-plan.ts'
import type { AssumedRead } from './assumed-read.ts'
import {
  type BlockChanges,
  blockNumberOf,
  bytesOf,
  type Changes,
  type EditedAccount,
  editedAccounts,
  revisionOf,
  type TransactionChanges,
  uintOf,
} from './changes.ts'
import { EditedState } from './edited-state.ts'
import { FilledState } from './filled-state.ts'
import { RecordingSource } from './recording-source.ts'

/** The parts needed to edit a transaction. The engine must not be used elsewhere meanwhile. */
export interface EditContext {
  readonly engine: BlockEngine
  /** SHA-256 of its engine.wasm: 64 hex digits. */
  readonly engineHash: string
  /** Answers reads that the bundle did not record; without it they are empty. */
  readonly source: AsyncStateView | undefined
  readonly signal: AbortSignal
}

/** A changed transaction after its run, with all its reads. */
export interface EditedBundle {
  readonly bundle: Bundle
  readonly assumed: readonly AssumedRead[]
}

/**
 * Runs a transaction of a bundle again with changes, after the unchanged ones before it, and records it. Returns a
 * bundle of that transaction alone, complete for every tracer.
 * @throws INVALID_ARGUMENT, TRANSACTION_REJECTED, REQUEST_TIMEOUT or the abort reason of the signal, ENGINE_FAULT,
 * what the source throws
 */
export async function editBundle(
  bundle: Bundle,
  index: number,
  changes: Changes,
  context: EditContext,
): Promise<EditedBundle> {
  const { engine, engineHash, source, signal } = context
  const planned = bundle.plan.transactions[index] as PlannedTransaction
  const accounts = editedAccounts(changes.accounts ?? [])
  const transaction = editedTransaction(planned.transaction, changes.transaction ?? {})
  const env = editedBlock(bundle.plan.env, changes.block ?? {})
  const leniency = leniencyOf(planned, transaction, accounts)
  const before = await stateBefore(bundle, index, context)
  const filled = new FilledState(before.state, source)
  const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
  const view = new RecordingSource(new EditedState(filled, accounts, keccak256))
  engine.forgetCode()
  engine.beginBlock(env)
  const run = engine.transact(transaction, { trace: RECORDING_SINK, ...(leniency && { leniency }) })
  const outcome = await runUntil(run, view, signal)
  if (outcome.kind !== 'executed') {
    const sender = decodeAccount(await view.account(transaction.from))
    const reason = rejectionText(outcome.code, transaction, env, sender, keccak256)
    throw new LockstepError('TRANSACTION_REJECTED', `the transaction is rejected: ${reason}`, {
      hint: 'also change what the message names: the balance of the sender, gas, fees or nonce',
    })
  }
  const { first } = before
  const cumulativeGasUsed = first.cumulativeGasUsed + outcome.gasUsed
  const receipt = makeReceipt(transaction, outcome, cumulativeGasUsed, env, keccak256)
  return {
    assumed: filled.assumed,
    bundle: {
      engineHash,
      scope: 'transaction',
      plan: {
        height: env.number,
        blockHash: bundle.plan.blockHash,
        env,
        systemCalls: [],
        transactions: [editedPlan(transaction, outcome, leniency)],
        first,
      },
      reads: view.reads,
      outcomes: [{ receipt: encodeReceipt(receipt), digests: undefined }],
    },
  }
}

function editedPlan(
  transaction: Transaction,
  { gasUsed }: Executed,
  leniency: Leniency | undefined,
): PlannedTransaction {
  return { transaction, gasUsed, ...(leniency && { leniency }) }
}

/** Returns the state before a transaction, and its position in the block. */
async function stateBefore(
  { plan, reads }: Bundle,
  index: number,
  { engine, signal }: EditContext,
): Promise<{ state: OverlayState; first: PlanStart }> {
  const recorded = new RecordedState(reads)
  engine.forgetCode()
  const logIndex = await replayFirst({ engine, plan, view: recorded, signal }, index)
  const state = new OverlayState(recorded)
  state.apply(engine.diff())
  const start = plan.first ?? BLOCK_START
  const gas = plan.transactions.slice(0, index).map(({ gasUsed }) => gasUsed)
  return {
    state,
    first: {
      index: start.index + index,
      logIndex,
      cumulativeGasUsed: gas.reduce((sum, used) => sum + used, start.cumulativeGasUsed),
    },
  }
}

/** The changed transaction is not signed: it keeps the hash of the original, by which it is known. */
function editedTransaction(
  { ...transaction }: Transaction,
  changes: TransactionChanges,
): Transaction {
  const { from, to, nonce, gas, value, input, maxFeePerGas, maxPriorityFeePerGas } = changes
  const name = (member: string) => `transaction.${member}`
  const fee = (member: string, wei: bigint) => uintOf(name(member), wei, 256)
  return {
    ...transaction,
    ...(from !== undefined && { from: bytesOf(name('from'), from, 20) }),
    ...(to !== undefined && { to: to === null ? undefined : bytesOf(name('to'), to, 20) }),
    ...(nonce !== undefined && { nonce: uintOf(name('nonce'), nonce, 64) }),
    ...(gas !== undefined && { gas: uintOf(name('gas'), gas, 64) }),
    ...(value !== undefined && { value: uintOf(name('value'), value, 256) }),
    ...(input !== undefined && { data: bytesOf(name('input'), input) }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: fee('maxFeePerGas', maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== undefined && {
      maxPriorityFeePerGas: fee('maxPriorityFeePerGas', maxPriorityFeePerGas),
    }),
  }
}

function editedBlock(env: BlockEnv, changes: BlockChanges): BlockEnv {
  const { number, timestamp, gasLimit, baseFee, blobBaseFee, coinbase, prevRandao, revision } =
    changes
  const name = (member: string) => `block.${member}`
  return {
    ...env,
    ...(number !== undefined && { number: blockNumberOf(name('number'), number) }),
    ...(timestamp !== undefined && { timestamp: uintOf(name('timestamp'), timestamp, 64) }),
    ...(gasLimit !== undefined && { gasLimit: uintOf(name('gasLimit'), gasLimit, 64) }),
    ...(baseFee !== undefined && { baseFee: uintOf(name('baseFee'), baseFee, 256) }),
    ...(blobBaseFee !== undefined && {
      blobBaseFee: uintOf(name('blobBaseFee'), blobBaseFee, 256),
    }),
    ...(coinbase !== undefined && { coinbase: bytesOf(name('coinbase'), coinbase, 20) }),
    ...(prevRandao !== undefined && { prevRandao: bytesOf(name('prevRandao'), prevRandao, 32) }),
    ...(revision !== undefined && { revision: revisionOf(name('revision'), revision) }),
  }
}

/**
 * Returns the rules to skip for a change. Another sender has another nonce and may be unable to pay. A changed nonce,
 * of the transaction or of its sender, must not cause a rejection.
 */
function leniencyOf(
  { transaction: before, leniency = minedLeniency(before) }: PlannedTransaction,
  now: Transaction,
  accounts: ReadonlyMap<string, EditedAccount>,
): Leniency | undefined {
  const sender = accounts.get(bytesKey(now.from))
  const isOther = bytesKey(now.from) !== bytesKey(before.from)
  const isMoot =
    isOther ||
    now.nonce !== before.nonce ||
    sender?.nonce !== undefined ||
    sender?.code !== undefined
  const skipFees = isOther || leniency?.skipFees === true
  const skipSenderChecks = isMoot || leniency?.skipSenderChecks === true
  return skipFees || skipSenderChecks ? { skipSenderChecks, skipFees } : undefined
}
