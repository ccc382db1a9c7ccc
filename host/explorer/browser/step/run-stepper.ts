import { bigintToBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import { Mutex } from '../../../base/mutex.ts'
import { checkAborted } from '../../../evm/execute/run-until.ts'
import { RecordedState } from '../../../evm/state/recorded-state.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { Bundle } from '../../../evm/trace/bundle/bundle.ts'
import { callAt } from './call-cursor.ts'
import type { CheckpointLimits } from './checkpoint-list.ts'
import { CodeGasMeter } from './code-gas-meter.ts'
import { DigestVisitor } from './digest-visitor.ts'
import { IndexedRun } from './indexed-run.ts'
import { InternalCallVisitor } from './internal-calls.ts'
import type { LineMarks } from './line-marks.ts'
import { LineSearch } from './line-search.ts'
import { RunIndex } from './run-index.ts'
import { StepFinder } from './step-finder.ts'
import { StepReader } from './step-reader.ts'
import { rowOf } from './step-row.ts'
import type { StepVisitor } from './step-walk.ts'
import type {
  CallNode,
  CodeGas,
  Condition,
  FindOptions,
  FoundStep,
  InternalCall,
  RunSummary,
  SearchOptions,
  StepDigests,
  Stepper,
  StepRow,
  StepView,
  UndoneWrites,
  Written,
} from './stepper.ts'
import { type RunControl, TransactionRun, type TransactionRunOptions } from './transaction-run.ts'
import { WriterSearch } from './writer-search.ts'

export interface RunStepperOptions {
  readonly bundle: Pick<Bundle, 'plan' | 'reads'>
  /** Index of the transaction in the bundle's plan; 0 by default. Those before it run first. */
  readonly index?: number
  /** Owned by the stepper from now on: not to be used elsewhere. */
  readonly engine: TransactionRunOptions['engine']
  /** The state before the plan; the reads of the bundle by default. */
  readonly view?: AsyncStateView
  readonly checkpoints?: CheckpointLimits
}

/**
 * Opens a transaction of a bundle. It runs at once, and every query waits for that run.
 * @throws INVALID_ARGUMENT if the bundle has no such transaction
 */
export function openRunStepper(options: RunStepperOptions): Stepper {
  const { bundle, engine, index = 0, view = new RecordedState(bundle.reads), checkpoints } = options
  const limits = checkpoints === undefined ? {} : { checkpoints }
  const run = new TransactionRun({ engine, plan: bundle.plan, index, view, ...limits })
  const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
  return new RunStepper(run, new RunIndex(keccak256, () => run.stateBefore()))
}

class RunStepper implements Stepper {
  readonly #closing = new AbortController()
  readonly #indexed: Promise<IndexedRun>
  /** The engine runs one query at a time. */
  readonly #queries = new Mutex()

  constructor(run: TransactionRun, index: RunIndex) {
    this.#indexed = IndexedRun.open(run, index, this.#closing.signal)
    void this.#queries.runExclusive(() => this.#indexed)
  }

  async summary(): Promise<RunSummary> {
    return (await this.#indexed).summary
  }

  async calls(): Promise<readonly CallNode[]> {
    return (await this.#indexed).calls
  }

  step(step: number, options: SearchOptions = {}): Promise<StepView> {
    return this.#alone(options, async (indexed, costs) => {
      indexed.requireStep(step)
      const open = (beginning: number) => new StepReader(indexed.index, step, beginning)
      const { view } = await indexed.resume(Math.max(step - 1, 0), open, costs)
      return view
    })
  }

  rows(from: number, count: number, options: SearchOptions = {}): Promise<readonly StepRow[]> {
    return this.#alone(options, async (indexed, costs) => {
      const rows: StepRow[] = []
      const visitor: StepVisitor = {
        steps: { stack: false, memory: false },
        onStep: (step, index, call) => void rows.push(rowOf(step, index, call)),
      }
      await indexed.walk(visitor, from, from + count, costs)
      return rows
    })
  }

  find(
    conditions: readonly Condition[],
    from: number,
    direction: 'forward' | 'back',
    options: FindOptions = {},
  ): Promise<FoundStep | undefined> {
    return this.#alone(options, async (indexed, { signal }) => {
      const finder = new StepFinder(conditions, indexed.calls, direction)
      const isFound = () => finder.found !== undefined
      const costs = { signal, onTurn: options.onProgress }
      if (direction === 'back') await indexed.walkBack(finder, 0, from, isFound, costs)
      else await indexed.walk(finder, from + 1, indexed.index.count, costs)
      return finder.found
    })
  }

  lastWriter(what: Written, at: number, options: SearchOptions = {}): Promise<number | undefined> {
    return this.#alone(options, async (indexed, costs) => {
      indexed.requireStep(at)
      const { calls, index } = indexed
      if (what.kind === 'slot' || what.kind === 'transient') {
        const address = what.address.toLowerCase() as Hex
        const slot = formatData(bigintToBytes(BigInt(what.slot), 32))
        return index.slots.writerOf(what.kind, address, slot, at)
      }
      const call = callAt(calls, at)
      const search = new WriterSearch(what, calls, call)
      const isFound = () => search.writer !== undefined
      await indexed.walkBack(search, call.firstStep, at, isFound, costs)
      return search.writer
    })
  }

  internalCalls(
    marks: ReadonlyMap<Hex, LineMarks>,
    options: SearchOptions = {},
  ): Promise<readonly InternalCall[]> {
    return this.#alone(options, async (indexed, costs) => {
      const visitor = new InternalCallVisitor(indexed.calls, marks)
      await indexed.walk(visitor, 0, indexed.index.count, costs)
      return visitor.finish()
    })
  }

  async undoneWrites(): Promise<readonly UndoneWrites[]> {
    return (await this.#indexed).index.slots.undone()
  }

  linePc(at: number, marks: LineMarks, options: SearchOptions = {}): Promise<number | undefined> {
    return this.#alone(options, async (indexed, costs) => {
      indexed.requireStep(at)
      const call = callAt(indexed.calls, at)
      const search = new LineSearch(call, marks)
      const isFound = () => {
        search.finish()
        return search.isFound
      }
      await indexed.walkBack(search, call.firstStep, at, isFound, costs)
      search.finish()
      return search.pc
    })
  }

  gasByCode(
    marks: ReadonlyMap<Hex, LineMarks> = new Map(),
    options: SearchOptions = {},
  ): Promise<readonly CodeGas[]> {
    return this.#alone(options, async (indexed, costs) => {
      const meter = new CodeGasMeter(indexed.calls, marks)
      await indexed.walk(meter, 0, indexed.index.count, costs)
      return meter.finish()
    })
  }

  digests(from: number, count: number, options: SearchOptions = {}): Promise<StepDigests> {
    return this.#alone(options, async (indexed, costs) => {
      const visitor = new DigestVisitor(Math.max(0, Math.min(count, indexed.index.count - from)))
      await indexed.walk(visitor, from, from + count, costs)
      return visitor.digests
    })
  }

  async code(codeHash: Hex): Promise<Uint8Array> {
    const code = (await this.#indexed).index.codes.get(codeHash)
    if (code === undefined) {
      throw new LockstepError('NOT_FOUND', `the transaction ran no code with hash ${codeHash}`, {
        hint: 'ask for the codeHash of one of its steps',
      })
    }
    return code
  }

  async close(): Promise<void> {
    this.#closing.abort(
      new LockstepError('INVALID_ARGUMENT', 'the stepper was closed', { hint: 'open it again' }),
    )
    await this.#queries.runExclusive(() => {})
  }

  /** Waits for the queries before, and for the first run. */
  #alone<Result>(
    { signal }: SearchOptions,
    work: (indexed: IndexedRun, costs: RunControl) => Promise<Result>,
  ): Promise<Result> {
    const closing = this.#closing.signal
    const ends = signal === undefined ? closing : AbortSignal.any([closing, signal])
    return this.#queries.runExclusive(async () => {
      const indexed = await this.#indexed
      checkAborted(ends)
      return work(indexed, { signal: ends })
    })
  }
}
