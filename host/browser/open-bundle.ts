import type { EngineModules } from '../engine/engine-modules.ts'
import { type BundleSource, plainSource } from './bundle-source.ts'
import type { BlockFacts, BundleFacts, TransactionFacts } from './facts.ts'
import { absoluteFiles, type LibraryFiles } from './library-files.ts'
import type { BundleKey, Place } from './place.ts'
import { type WorkerLike, WorkerPlace } from './worker-place.ts'

/** What a call can be ended with. */
export interface RunOptions {
  /** Ends the call within about a millisecond of work: it throws REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal
}

export interface OpenOptions extends RunOptions {
  /** Where the bundle runs: in a worker of its own, which is the default, or on the page's own thread. */
  readonly thread?: 'worker' | 'page'
  /** The worker, where the page starts it itself: a module worker of the library's `worker.js`. */
  readonly worker?: () => WorkerLike
  readonly files?: LibraryFiles
  /** The compiled modules, where they are there already: `compileEngine` gives them. */
  readonly modules?: EngineModules
}

/** A bundle that is open: what it holds, and the way to where it runs. */
export class OpenBundle {
  readonly facts: BundleFacts
  /** @internal */
  readonly key: BundleKey
  /** @internal */
  readonly place: Place

  /** @internal */
  constructor(place: Place, key: BundleKey, facts: BundleFacts) {
    this.facts = facts
    this.key = key
    this.place = place
  }

  get block(): BlockFacts {
    return this.facts.block
  }

  get transactions(): readonly TransactionFacts[] {
    return this.facts.transactions
  }

  /** Frees its engine. What still runs of it ends with an error. */
  close(): void {
    this.place.close()
  }
}

/**
 * Opens a bundle: what `lockstep record` wrote, or the result of debug_traceStateAccess or
 * debug_traceBlockStateAccess.
 * @throws LockstepError BUNDLE_INVALID naming the member and the rule that it breaks; ENGINE_FAULT where a file of
 * the library cannot be loaded
 */
export async function openBundle(
  source: BundleSource,
  options: OpenOptions = {},
): Promise<OpenBundle> {
  const { signal = neverAborted() } = options
  const plain = await plainSource(source, signal)
  const place = await openPlace(options)
  try {
    const { key, facts } = await place.call('open', plain, { signal })
    return new OpenBundle(place, key, facts)
  } catch (thrown) {
    place.close()
    throw thrown
  }
}

async function openPlace(options: OpenOptions): Promise<Place> {
  const { thread = 'worker', worker = startWorker, files = {}, modules } = options
  if (thread === 'worker') {
    return new WorkerPlace(worker(), { files: absoluteFiles(files), modules })
  }
  const { openSession } = await import('./session.ts')
  return openSession({ files, modules })
}

function startWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
}

export function neverAborted(): AbortSignal {
  return new AbortController().signal
}
