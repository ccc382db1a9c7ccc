import { LockstepError } from '../base/error.ts'
import { type Engine, loadEngine } from '../engine/engine.ts'
import type { EngineModules } from '../engine/engine-modules.ts'
import { EnginePool } from '../execute/engine-pool.ts'
import { type Bundle, decodeBundle } from '../trace/bundle/bundle.ts'
import { BundleRecording, type Replayed } from '../trace/recording/recording.ts'
import { type PlainSource, readDocument } from './bundle-source.ts'
import { bundleFacts } from './facts.ts'
import type {
  Argument,
  BundleKey,
  CallOptions,
  Calls,
  OpenedBundle,
  Place,
  Result,
  TracerQuestion,
} from './place.ts'
import { ScriptFiles, type ScriptUrls } from './script-files.ts'

type Handlers = {
  readonly [Name in keyof Calls]: (
    argument: Argument<Name>,
    options: CallOptions,
  ) => Promise<Result<Name>>
}

/** All that a session works with. */
export interface SessionParts {
  readonly modules: EngineModules
  readonly scripts: ScriptUrls
}

/** Bundles that are open, and the engines that they run on: on the thread that it was made on. */
export class Session implements Place {
  readonly #engines: EnginePool<Engine>
  readonly #scripts: ScriptFiles
  readonly #bundles = new Map<BundleKey, Bundle>()
  readonly #handlers: Handlers = {
    open: (source) => this.#open(source),
    closeBundle: async (key) => void this.#bundles.delete(key),
    trace: (question, options) => this.#trace(question, options),
    verify: (key, options) => this.#verify(key, options),
  }
  #lastKey = 0

  constructor({ modules, scripts }: SessionParts) {
    const { engine, engineHash: _, ...others } = modules
    this.#engines = new EnginePool(
      () => loadEngine(engine, others),
      1,
      Number.POSITIVE_INFINITY,
      (one) => one.isUsable,
    )
    this.#scripts = new ScriptFiles(scripts)
  }

  call<Name extends keyof Calls>(
    name: Name,
    argument: Argument<Name>,
    options: CallOptions,
  ): Promise<Result<Name>> {
    return this.#handlers[name](argument, options)
  }

  close(): void {
    this.#bundles.clear()
  }

  async #open(source: PlainSource): Promise<OpenedBundle> {
    const document = await readDocument(source)
    const bundle = await this.#engines.use(async (one) =>
      decodeBundle(document, (bytes) => one.keccak256(bytes)),
    )
    const key = ++this.#lastKey
    this.#bundles.set(key, bundle)
    return { key, facts: bundleFacts(bundle) }
  }

  #trace(question: TracerQuestion & { key: BundleKey }, options: CallOptions): Promise<void> {
    const { key, transaction, ...tracer } = question
    const { signal, onChunk = () => {} } = options
    const whole = this.#bundle(key)
    const bundle = transaction === undefined ? whole : upTo(whole, transaction)
    return this.#recording(bundle).writeTrace({ ...tracer, signal }, onChunk)
  }

  #verify(key: BundleKey, { signal }: CallOptions): Promise<Replayed> {
    return this.#recording(this.#bundle(key)).replay({ signal })
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
    throw new LockstepError('INVALID_ARGUMENT', 'the bundle was closed', {
      hint: 'open it again',
    })
  }
}

/** A bundle that ends with the transaction at `index`, which is the one that it is about. */
function upTo(bundle: Bundle, index: number): Bundle {
  const { transactions } = bundle.plan
  if (!(index in transactions)) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `transaction: want 0 to ${transactions.length - 1}, got ${index}`,
    )
  }
  return {
    ...bundle,
    scope: 'transaction',
    plan: { ...bundle.plan, transactions: transactions.slice(0, index + 1) },
    outcomes: bundle.outcomes.slice(0, index + 1),
  }
}
