import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex } from '../../base/hex.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { BlockEngine } from '../../execute/block-engine.ts'
import { RecordedState } from '../../state/recorded-state.ts'
import type { StateView } from '../../state/view.ts'
import type { Bundle } from '../../trace/bundle/bundle.ts'
import type {
  CallNode,
  CodeGas,
  Condition,
  RunSummary,
  Stepper,
  StepRow,
  StepView,
  Written,
} from '../stepper.ts'
import { callAt, type IndexedCall } from './call-index.ts'
import { CodeGasMeter } from './code-gas-meter.ts'
import { compileCondition } from './condition.ts'
import { stateChanges } from './state-changes.ts'
import { StepLens } from './step-lens.ts'
import { rowOf } from './step-row.ts'
import { type StepVisitor, StepWalk } from './step-walk.ts'
import { TransactionIndex } from './transaction-index.ts'
import { TransactionRun } from './transaction-run.ts'
import { WriterSearch } from './writer-search.ts'

export interface RunStepperOptions {
  readonly bundle: Pick<Bundle, 'plan' | 'reads'>
  /** Place of the transaction in the bundle's plan; 0 by default. Those before it run first. */
  readonly index?: number
  /** It belongs to the stepper from now on: nobody else uses it. */
  readonly engine: BlockEngine
  /** The state before the plan; the reads of the bundle by default. */
  readonly view?: StateView
}

/** A transaction that has run once. */
interface IndexedRun {
  readonly run: TransactionRun
  readonly index: TransactionIndex
  readonly summary: RunSummary
}

/**
 * Opens a transaction of a bundle. It runs at once; every question waits until it has.
 * @throws INVALID_ARGUMENT; TRANSACTION_REJECTED where the protocol refuses it, from the first question on
 */
export function openRunStepper(options: RunStepperOptions): Stepper {
  return new RunStepper(options)
}

class RunStepper implements Stepper {
  readonly #options: RunStepperOptions
  readonly #closing = new AbortController()
  readonly #indexed: Promise<IndexedRun>
  /** The engine does one thing at a time. */
  #last: Promise<unknown>

  constructor(options: RunStepperOptions) {
    this.#options = options
    this.#indexed = this.#index()
    this.#indexed.catch(() => {})
    this.#last = this.#indexed
  }

  async summary(): Promise<RunSummary> {
    return (await this.#indexed).summary
  }

  async calls(): Promise<readonly CallNode[]> {
    return (await this.#indexed).index.calls
  }

  step(index: number): Promise<StepView> {
    return this.#alone(async ({ run, index: known }) => {
      if (!(Number.isInteger(index) && index >= 0 && index < known.count)) {
        throw new LockstepError('INVALID_ARGUMENT', `step ${index}: there are ${known.count}`, {
          hint: 'steps count from 0',
        })
      }
      const lens = new StepLens(known, index)
      await this.#walk(run, lens, () => lens.view !== undefined)
      return lens.view as StepView
    })
  }

  rows(from: number, count: number): Promise<readonly StepRow[]> {
    return this.#alone(async ({ run, index: known }) => {
      const rows: StepRow[] = []
      const end = Math.min(from + count, known.count)
      if (from >= end) return rows
      const visitor: StepVisitor = {
        steps: { stack: false, memory: false },
        onStep(step, index, call) {
          if (index < from || index >= end) return
          rows.push(rowOf(step, index, known.calls[call] as IndexedCall))
        },
      }
      await this.#walk(run, visitor, () => rows.length === end - from)
      return rows
    })
  }

  find(
    conditions: readonly Condition[],
    from: number,
    direction: 'forward' | 'back',
  ): Promise<{ readonly index: number; readonly which: number } | undefined> {
    return this.#alone(async ({ run, index: known }) => {
      const matchers = conditions.map(compileCondition)
      const entered = new Map(known.calls.map((call) => [call.firstStep - 1, call]))
      let found: { index: number; which: number } | undefined
      let isOver = false
      const visitor: StepVisitor = {
        steps: { stack: false, memory: false },
        onStep(step, index, call) {
          if (isOver) return
          if (direction === 'forward' ? index <= from : index >= from) {
            isOver = direction === 'back'
            return
          }
          const place = {
            index,
            call: known.calls[call] as IndexedCall,
            entered: entered.get(index),
          }
          const which = matchers.findIndex((matches) => matches(step, place))
          if (which < 0) return
          found = { index, which }
          isOver = direction === 'forward'
        },
      }
      await this.#walk(run, visitor, () => isOver)
      return found
    })
  }

  lastWriter(what: Written, at: number): Promise<number | undefined> {
    return this.#alone(async ({ run, index: known }) => {
      if (what.kind === 'slot' || what.kind === 'transient') {
        const { kind, address, slot } = what
        return known.slots.writeInForce(kind, address, slot, at)?.step
      }
      const search = new WriterSearch(what, at, callAt(known.calls, at).index)
      await this.#walk(run, search, () => search.isOver)
      return search.writer
    })
  }

  gasByCode(): Promise<readonly CodeGas[]> {
    return this.#alone(async ({ run, index: known }) => {
      const meter = new CodeGasMeter(known.calls)
      await this.#walk(run, meter)
      return meter.finish()
    })
  }

  async code(codeHash: Hex): Promise<Uint8Array> {
    const code = (await this.#indexed).index.codes.get(codeHash)
    if (code === undefined) {
      throw new LockstepError('NOT_FOUND', `no code of hash ${codeHash} ran in the transaction`)
    }
    return code
  }

  async close(): Promise<void> {
    this.#closing.abort(new LockstepError('REQUEST_TIMEOUT', 'the stepper was closed'))
    await this.#last.catch(() => {})
  }

  async #index(): Promise<IndexedRun> {
    const { bundle, engine, index = 0, view = new RecordedState(bundle.reads) } = this.#options
    const { signal } = this.#closing
    const run = await TransactionRun.open({ engine, plan: bundle.plan, index, view }, signal)
    const known = new TransactionIndex((bytes) => engine.keccak256(bytes), run.state)
    const outcome = (await this.#walk(run, known)) as Executed
    return { run, index: known, summary: summaryOf(run, known, outcome) }
  }

  #walk(run: TransactionRun, visitor: StepVisitor, isEnough?: () => boolean) {
    return run.run(new StepWalk(visitor), this.#closing.signal, isEnough)
  }

  #alone<Result>(work: (indexed: IndexedRun) => Promise<Result>): Promise<Result> {
    const result = this.#last.catch(() => {}).then(async () => work(await this.#indexed))
    this.#last = result
    result.catch(() => {})
    return result
  }
}

function summaryOf(run: TransactionRun, known: TransactionIndex, outcome: Executed): RunSummary {
  const { success, gasUsed, output, createdAddress } = outcome
  return {
    success,
    gasUsed,
    gasLimit: run.input.gas,
    output: formatData(output),
    fault: known.calls[0]?.fault,
    steps: known.count,
    contractAddress: createdAddress === undefined ? undefined : formatData(createdAddress),
    changes: stateChanges(run.diff(), run.state, (address) =>
      known.slots.slotsAt('slot', address, Number.POSITIVE_INFINITY),
    ),
  }
}
