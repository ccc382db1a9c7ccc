import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, parseData } from '../../../base/hex.ts'
import { encodeReceipt, type Receipt } from '../../chain-types/receipt.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import { makeReceipt } from '../../execute/receipt.ts'
import { beginPlan } from '../../execute/replay/plan-run.ts'
import {
  BLOCK_START,
  type PlannedTransaction,
  plannedOptions,
} from '../../execute/replay/replay-plan.ts'
import { runUntil } from '../../execute/run-until.ts'
import { RecordedState } from '../../state/recorded-state.ts'
import type { StateView } from '../../state/view.ts'
import type { Bundle, RecordedOutcome } from './bundle.ts'
import { receiptParts } from './bundle-receipt.ts'
import type { Difference, FirstDifference } from './difference.ts'
import { MissingRead } from './missing-read.ts'
import { StepWatch } from './step-digest.ts'

/** Everything a replay needs. The engine is reserved for it. */
export interface ReplayContext {
  readonly engine: BlockEngine
  readonly signal: AbortSignal
  /** Compares receipts only: steps are not traced, and there are no digests. */
  readonly ignoresSteps?: boolean
}

export interface ReplayVerdict {
  /** Step digests of each transaction that ran as recorded. */
  readonly digests: readonly Uint32Array[]
  readonly difference?: FirstDifference
}

/**
 * Executes a bundle's transactions on its recorded reads only, up to the first difference.
 * @throws REQUEST_TIMEOUT or the abort reason; ENGINE_FAULT.
 */
export async function replayBundle(bundle: Bundle, context: ReplayContext): Promise<ReplayVerdict> {
  const replay = new BundleReplay(bundle, context)
  const digests: Uint32Array[] = []
  const refused = await replay.begin()
  if (refused !== undefined) {
    return { digests, difference: { ...refused, transaction: undefined } }
  }
  for (const [index, { transaction }] of bundle.plan.transactions.entries()) {
    const result = await replay.run(index)
    if (result === undefined) continue
    if (!(result instanceof Uint32Array)) {
      return { digests, difference: { ...result, transaction: formatData(transaction.hash) } }
    }
    digests.push(result)
  }
  return { digests }
}

class BundleReplay {
  readonly #bundle: Bundle
  readonly #context: ReplayContext
  readonly #state: RecordedState
  #cumulativeGasUsed: bigint

  constructor(bundle: Bundle, context: ReplayContext) {
    this.#bundle = bundle
    this.#context = context
    this.#state = new RecordedState(bundle.reads)
    this.#cumulativeGasUsed = (bundle.plan.first ?? BLOCK_START).cumulativeGasUsed
  }

  async begin(): Promise<Difference | undefined> {
    // Code cached in the engine would hide that the bundle lacks it.
    this.#context.engine.forgetCode()
    try {
      await beginPlan({ ...this.#context, plan: this.#bundle.plan, view: this.#state })
      return undefined
    } catch (thrown) {
      return { kind: 'read', what: unrecorded(thrown), at: undefined }
    }
  }

  /** Executes the next transaction. Returns its step digests if steps are traced, or the difference. */
  async run(index: number): Promise<Uint32Array | Difference | undefined> {
    const recorded = this.#bundle.outcomes[index] as RecordedOutcome
    const watch = this.#context.ignoresSteps === true ? undefined : new StepWatch(recorded.digests)
    let outcome: Executed | Difference
    try {
      outcome = await this.#transact(index, this.#state, watch)
    } catch (thrown) {
      return this.#locate(index, unrecorded(thrown))
    }
    if (watch === undefined) {
      return outcome.kind === 'executed' ? this.#compareReceipt(index, outcome, recorded) : outcome
    }
    const { divergence } = watch
    if (divergence !== undefined) return { kind: 'step', at: divergence }
    if (outcome.kind !== 'executed') return outcome
    const steps = recorded.digests?.length ?? watch.count
    if (steps !== watch.count) return { kind: 'steps', recorded: steps, now: watch.count }
    return this.#compareReceipt(index, outcome, recorded) ?? watch.digests()
  }

  async #transact(
    index: number,
    view: StateView,
    trace: TraceSink | undefined,
  ): Promise<Executed | Difference> {
    const { engine, signal } = this.#context
    const planned = this.#planned(index)
    const run = engine.transact(planned.transaction, plannedOptions(planned, trace))
    const outcome = await runUntil(run, view, signal)
    return outcome.kind === 'executed' ? outcome : { kind: 'refused', reason: outcome.code }
  }

  /** A run aborted by a missing read has not delivered its last steps, so repeat it. */
  async #locate(index: number, what: string): Promise<Difference> {
    const { digests } = this.#bundle.outcomes[index] as RecordedOutcome
    const missing = new MissingRead(this.#state, digests)
    await this.#transact(index, missing, missing)
    const { divergence, place } = missing
    return divergence === undefined
      ? { kind: 'read', what, at: place }
      : { kind: 'step', at: divergence }
  }

  #planned(index: number): PlannedTransaction {
    return this.#bundle.plan.transactions[index] as PlannedTransaction
  }

  #compareReceipt(
    index: number,
    outcome: Executed,
    recorded: RecordedOutcome,
  ): Difference | undefined {
    const { transaction, gasUsed } = this.#planned(index)
    if (outcome.gasUsed !== gasUsed) {
      return {
        kind: 'receipt',
        field: 'gasUsed',
        recorded: formatQuantity(gasUsed),
        now: formatQuantity(outcome.gasUsed),
      }
    }
    this.#cumulativeGasUsed += gasUsed
    const { env } = this.#bundle.plan
    const { engine } = this.#context
    const receipt = makeReceipt(transaction, outcome, this.#cumulativeGasUsed, env, (bytes) =>
      engine.keccak256(bytes),
    )
    return compareReceipts(receipt, recorded.receipt)
  }
}

/** Returns the message of a missing read. Rethrows any other error. */
function unrecorded(thrown: unknown): string {
  if (thrown instanceof LockstepError && thrown.code === 'NOT_FOUND') return thrown.message
  throw thrown
}

function compareReceipts(receipt: Receipt, recorded: Uint8Array): Difference | undefined {
  const before = receiptParts(recorded)
  // Reuse a pre-Byzantium state root: partial state cannot reproduce it.
  const root = before.find(([name]) => name === 'root')?.[1]
  const stateRoot = root === undefined ? {} : { stateRoot: parseData(root) }
  const now = receiptParts(encodeReceipt({ ...receipt, ...stateRoot }))
  for (let i = 0; i < Math.max(before.length, now.length); i++) {
    const [field, value] = before[i] ?? []
    const [name, found] = now[i] ?? []
    if (field === name && value === found) continue
    return field === undefined
      ? { kind: 'receipt', field: String(name), recorded: undefined, now: found }
      : { kind: 'receipt', field, recorded: value, now: field === name ? found : undefined }
  }
  return undefined
}
