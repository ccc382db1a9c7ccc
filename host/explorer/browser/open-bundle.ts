import { neverAborted } from '../../base/signal.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import {
  type Argument,
  type BundleKey,
  type BundleRunner,
  type Calls,
  closedError,
  type OpenedBundle,
  type Result,
  type RunnerCallOptions,
} from './bundle-runner.ts'
import { type BundleSource, plainSource } from './bundle-source.ts'
import type { AssumedRead } from './edit/assumed-read.ts'
import type { BlockFacts, BundleFacts, TransactionFacts } from './facts.ts'
import { absoluteFiles, type LibraryFiles } from './library-files.ts'
import type { WorkerLike } from './worker-like.ts'
import { WorkerRunner } from './worker-runner.ts'

/** Options to cancel a call. */
export interface RunOptions {
  /** Cancels the call within about a millisecond of work: it throws REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal | undefined
}

export interface OpenOptions extends RunOptions {
  /** The thread that runs the bundle: its own worker, which is the default, or the page's thread. */
  readonly thread?: 'worker' | 'page'
  /** The worker, if the page starts it itself: a module worker of the library's `worker.js`. */
  readonly worker?: () => WorkerLike
  readonly files?: LibraryFiles
  /** The compiled modules from `compileEngine`, if they exist already. */
  readonly modules?: EngineModules
  /**
   * Compiles hot EVM code to WebAssembly: runs become faster, and results stay the same. By default, and on the page's
   * own thread, all code is interpreted. If `modules` are given, they decide.
   */
  readonly compiledCode?: boolean
}

/**
 * A runner with the number of its open bundles. It is closed with the last of them.
 * @internal
 */
export class SharedRunner {
  readonly runner: BundleRunner
  #open = 0

  constructor(place: BundleRunner) {
    this.runner = place
  }

  add(): void {
    this.#open++
  }

  remove(key: BundleKey): void {
    this.#open--
    if (this.#open === 0) this.runner.close()
    else this.runner.call('closeBundle', key, { signal: neverAborted() }).catch(() => {})
  }
}

/** An open bundle: its facts, and access to the thread that runs it. */
export class OpenBundle {
  readonly facts: BundleFacts
  /** Reads of a changed transaction that were unknown and taken to be empty. */
  readonly assumed: readonly AssumedRead[]
  /** @internal */
  readonly key: BundleKey
  /** @internal */
  readonly shared: SharedRunner
  readonly #closing = new AbortController()

  /** @internal */
  constructor(
    shared: SharedRunner,
    { key, facts }: OpenedBundle,
    assumed: readonly AssumedRead[] = [],
  ) {
    this.facts = facts
    this.assumed = assumed
    this.key = key
    this.shared = shared
    shared.add()
  }

  get block(): BlockFacts {
    return this.facts.block
  }

  get transactions(): readonly TransactionFacts[] {
    return this.facts.transactions
  }

  /** Frees its engines. Running calls fail, and its steppers are closed. */
  close(): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(closedError())
    this.shared.remove(this.key)
  }

  /** @internal */
  async call<Name extends keyof Calls>(
    name: Name,
    argument: Argument<Name>,
    { signal, ...options }: Omit<RunnerCallOptions, 'signal'> & RunOptions = {},
  ): Promise<Result<Name>> {
    const closing = this.#closing.signal
    if (closing.aborted) throw closedError()
    const ended = signal === undefined ? closing : AbortSignal.any([signal, closing])
    return this.shared.runner.call(name, argument, { ...options, signal: ended })
  }
}

/**
 * Opens a bundle: the output of `lockstep record`, or the result of debug_traceStateAccess or
 * debug_traceBlockStateAccess.
 * @throws LockstepError BUNDLE_INVALID naming the member and the rule that it breaks; ENGINE_FAULT if a file of the
 * library cannot be loaded
 */
export async function openBundle(
  source: BundleSource,
  options: OpenOptions = {},
): Promise<OpenBundle> {
  const { signal = neverAborted() } = options
  const plain = await plainSource(source, signal)
  const runner = await openRunner(options)
  try {
    return new OpenBundle(new SharedRunner(runner), await runner.call('open', plain, { signal }))
  } catch (thrown) {
    runner.close()
    throw thrown
  }
}

/**
 * Starts the thread that runs bundles.
 * @internal
 */
export async function openRunner(options: OpenOptions): Promise<BundleRunner> {
  const { thread = 'worker', worker = startWorker, files = {}, modules } = options
  const { compiledCode = false } = options
  if (thread === 'worker') {
    return new WorkerRunner(worker(), { files: absoluteFiles(files), modules, compiledCode })
  }
  const { openSession } = await import('./session.ts')
  const interpreted = modules && { ...modules, compiledCode: undefined }
  return openSession({ files, modules: interpreted, compiledCode: false })
}

function startWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
}
