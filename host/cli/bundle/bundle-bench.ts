import { type Engine, loadEngine } from '../../engine/engine.ts'
import { EnginePool } from '../../execute/engine-pool.ts'
import { compileEngine } from '../../node/wasm.ts'
import type { Bundle } from '../../trace/bundle/bundle.ts'
import { readBundle } from './bundle-file.ts'

/** Where bundles run one after another. An engine that one of them breaks is replaced. */
export class BundleBench {
  readonly #engines: EnginePool<Engine>
  readonly #engineHash: string
  /** Bundles by the engine that recorded them, where it is another. */
  readonly #others = new Map<string, number>()

  private constructor(engines: EnginePool<Engine>, engineHash: string) {
    this.#engines = engines
    this.#engineHash = engineHash
  }

  static async open(): Promise<BundleBench> {
    const { engine, pairing, engineHash } = await compileEngine()
    const open = () => loadEngine(engine, { pairing })
    return new BundleBench(new EnginePool(open, 1, 0, (one) => one.isUsable), engineHash)
  }

  use<Result>(work: (engine: Engine) => Promise<Result>): Promise<Result> {
    return this.#engines.use(work)
  }

  /** @throws BUNDLE_INVALID */
  read(path: string, engine: Engine): Bundle {
    const bundle = readBundle(path, (bytes) => engine.keccak256(bytes))
    const { engineHash } = bundle
    if (engineHash !== this.#engineHash) {
      this.#others.set(engineHash, (this.#others.get(engineHash) ?? 0) + 1)
    }
    return bundle
  }

  /** A line for each other engine that has recorded bundles. */
  notes(): string[] {
    const short = (hash: string) => hash.slice(0, 12)
    return Array.from(
      this.#others,
      ([hash, count]) =>
        `Note: recorded with engine ${short(hash)}: ${count}; this one is ${short(this.#engineHash)}\n`,
    )
  }
}
