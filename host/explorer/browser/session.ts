import { LockstepError } from '../../base/error.ts'
import { type Engine, loadEngine } from '../../evm/engine/engine.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import { EnginePool } from '../../evm/execute/engine-pool.ts'
import { type Bundle, decodeBundle } from '../../evm/trace/bundle/bundle.ts'
import { BundleRecording } from '../../evm/trace/recording/bundle-recording.ts'
import type { Replayed } from '../../evm/trace/recording/recording.ts'
import {
  type Argument,
  type BundleKey,
  type BundleRunner,
  type Calls,
  closedError,
  type EditedFacts,
  type OpenedBundle,
  type Result,
  type RunnerCallOptions,
  type SessionParts,
  type StepperKey,
  type StepperQuestion,
} from './bundle-runner.ts'
import { type PlainSource, readDocument } from './bundle-source.ts'
import type { UnsentCall } from './edit/unsent-call.ts'
import { fetchEngine } from './engine-files.ts'
import { bundleFacts } from './facts.ts'
import type { LibraryFiles } from './library-files.ts'
import { ScriptFiles } from './script-files.ts'
import type { Stepper } from './step/stepper.ts'
import type { TracerQuestion } from './tracer-question.ts'

type Handlers = {
  readonly [Name in keyof Calls]: (
    argument: Argument<Name>,
    options: RunnerCallOptions,
  ) => Promise<Result<Name>>
}

/** @throws ENGINE_FAULT if a file of the library cannot be loaded */
export async function openSession({
  files,
  modules,
  compiledCode,
}: SessionParts): Promise<BundleRunner> {
  return new Session(modules ?? (await fetchEngine(files, compiledCode)), files)
}

/** Open bundles and their engines, on the thread that created it. */
export class Session implements BundleRunner {
  readonly #newEngine: () => Promise<Engine>
  /** Engines for calls on bundles; each serves one call at a time. */
  readonly #engines: EnginePool<Engine>
  readonly #scripts: ScriptFiles
  readonly #bundles = new Map<BundleKey, Bundle>()
  readonly #handlers: Handlers = {
    open: (source) => this.#open(source),
    closeBundle: (key) => this.#closeBundle(key),
    trace: (question, options) => this.#trace(question, options),
    verify: (key, options) => this.#verify(key, options),
    edit: (edit, options) => this.#edit(edit, options),
    simulate: (call, options) => this.#simulate(call, options),
    openStepper: (opening) => this.#openStepper(opening),
    askStepper: (question, options) => this.#askStepper(question, options),
    closeStepper: (key) => this.#closeStepper(key),
  }
  readonly #steppers = new Map<StepperKey, { readonly of: BundleKey; readonly stepper: Stepper }>()
  readonly #engineHash: string
  #lastKey = 0

  constructor({ engine, engineHash, ...others }: EngineModules, files: LibraryFiles) {
    this.#engineHash = engineHash
    this.#newEngine = () => loadEngine(engine, others)
    const isUsable = (one: Engine) => one.isUsable
    this.#engines = new EnginePool(this.#newEngine, 1, Number.POSITIVE_INFINITY, isUsable)
    this.#scripts = new ScriptFiles(files)
  }

  async call<Name extends keyof Calls>(
    name: Name,
    argument: Argument<Name>,
    options: RunnerCallOptions,
  ): Promise<Result<Name>> {
    return this.#handlers[name](argument, options)
  }

  close(): void {
    this.#bundles.clear()
    for (const key of this.#steppers.keys()) void this.#closeStepper(key)
  }

  async #open(source: PlainSource): Promise<OpenedBundle> {
    const document = await readDocument(source)
    const bundle = await this.#engines.use(async (one) =>
      decodeBundle(document, (bytes) => one.keccak256(bytes)),
    )
    return this.#add(bundle)
  }

  #add(bundle: Bundle): OpenedBundle {
    const key = ++this.#lastKey
    this.#bundles.set(key, bundle)
    return { key, facts: bundleFacts(bundle) }
  }

  async #closeBundle(key: BundleKey): Promise<void> {
    this.#bundles.delete(key)
    const steppers = [...this.#steppers].filter(([, { of }]) => of === key)
    await Promise.all(steppers.map(([stepper]) => this.#closeStepper(stepper)))
  }

  #trace(question: TracerQuestion & { key: BundleKey }, options: RunnerCallOptions): Promise<void> {
    const { key, transaction, ...tracer } = question
    const { signal, onChunk = () => {} } = options
    const whole = this.#bundle(key)
    const bundle = transaction === undefined ? whole : upTo(whole, transaction)
    return this.#recording(bundle).writeTrace({ ...tracer, signal }, onChunk)
  }

  #verify(key: BundleKey, { signal }: RunnerCallOptions): Promise<Replayed> {
    return this.#recording(this.#bundle(key)).replay({ signal })
  }

  async #edit(
    { key, transaction, changes }: Argument<'edit'>,
    { signal, source }: RunnerCallOptions,
  ): Promise<EditedFacts> {
    const whole = this.#bundle(key)
    checkTransaction(whole, transaction)
    const { editBundle } = await import('./edit/edited-bundle.ts')
    const { bundle, assumed } = await this.#engines.use((engine) =>
      editBundle(whole, transaction, changes, {
        engine,
        engineHash: this.#engineHash,
        source,
        signal,
      }),
    )
    return { ...this.#add(bundle), assumed }
  }

  async #simulate(call: UnsentCall, { signal, source }: RunnerCallOptions): Promise<EditedFacts> {
    if (source === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', 'a call needs a state to run on')
    }
    const { recordCall } = await import('./edit/unsent-call.ts')
    const { bundle, assumed } = await this.#engines.use((engine) =>
      recordCall(call, { engine, engineHash: this.#engineHash, source, signal }),
    )
    return { ...this.#add(bundle), assumed }
  }

  async #openStepper({ key, transaction }: Argument<'openStepper'>): Promise<StepperKey> {
    const bundle = this.#bundle(key)
    checkTransaction(bundle, transaction)
    const { openRunStepper } = await import('./step/run-stepper.ts')
    const engine = await this.#newEngine()
    const stepperKey = ++this.#lastKey
    const stepper = openRunStepper({ bundle, index: transaction, engine })
    this.#steppers.set(stepperKey, { of: key, stepper })
    return stepperKey
  }

  #askStepper(
    { key, method, args }: StepperQuestion,
    { signal, onProgress }: RunnerCallOptions,
  ): Promise<unknown> {
    const stepper = this.#steppers.get(key)?.stepper
    if (stepper === undefined) throw closedError()
    const ask = stepper[method] as (...args: readonly unknown[]) => Promise<unknown>
    return ask.call(stepper, ...args, { signal, onProgress })
  }

  async #closeStepper(key: StepperKey): Promise<void> {
    const open = this.#steppers.get(key)
    this.#steppers.delete(key)
    await open?.stepper.close()
  }

  #recording(bundle: Bundle): BundleRecording {
    return new BundleRecording(bundle, {
      engines: this.#engines,
      scripts: () => this.#scripts.open(),
    })
  }

  #bundle(key: BundleKey): Bundle {
    const bundle = this.#bundles.get(key)
    if (bundle !== undefined) return bundle
    throw closedError()
  }
}

/** @throws INVALID_ARGUMENT if a bundle has no transaction at that index */
function checkTransaction({ plan }: Bundle, index: number): void {
  const { length } = plan.transactions
  if (Number.isInteger(index) && index >= 0 && index < length) return
  throw new LockstepError('INVALID_ARGUMENT', `transaction: want 0 to ${length - 1}, got ${index}`)
}

/** Returns a bundle that ends with the transaction at `index`, which becomes its target. */
function upTo(bundle: Bundle, index: number): Bundle {
  checkTransaction(bundle, index)
  const { plan, outcomes } = bundle
  return {
    ...bundle,
    scope: 'transaction',
    plan: { ...plan, transactions: plan.transactions.slice(0, index + 1) },
    outcomes: outcomes.slice(0, index + 1),
  }
}
