import type { EngineModules } from '../engine/engine-modules.ts'
import { type BundleSource, plainSource } from './bundle-source.ts'
import { type FileUrls, fetchEngine } from './engine-files.ts'
import type { BlockFacts, BundleFacts, TransactionFacts } from './facts.ts'
import type { BundleKey, Place } from './place.ts'
import type { ScriptUrls } from './script-files.ts'

/** What a call can be ended with. */
export interface RunOptions {
  /** Ends the call within about a millisecond of work: it throws REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal
}

export interface OpenOptions extends RunOptions {
  /** Where files of the library are that do not lie beside it. */
  readonly files?: FileUrls & ScriptUrls
  /** The compiled modules, where they have been fetched already. */
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

async function openPlace({ files = {}, modules }: OpenOptions): Promise<Place> {
  const { Session } = await import('./session.ts')
  return new Session({ modules: modules ?? (await fetchEngine(files)), scripts: files })
}

export function neverAborted(): AbortSignal {
  return new AbortController().signal
}
