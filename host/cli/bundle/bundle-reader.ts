import { openReplayer, type Recording, type Replayer } from '../../entry/replay.ts'
import { readBundle } from './bundle-file.ts'

/** Reads bundles one after another, and counts those recorded by other engines. */
export class BundleReader {
  readonly #replayer: Replayer
  /** Number of bundles per other engine. */
  readonly #others = new Map<string, number>()

  private constructor(replayer: Replayer) {
    this.#replayer = replayer
  }

  static async open(): Promise<BundleReader> {
    return new BundleReader(await openReplayer())
  }

  /** @throws BUNDLE_INVALID */
  async read(path: string): Promise<Recording> {
    const recording = await readBundle(path, this.#replayer)
    const { engineHash } = recording
    if (engineHash !== this.#replayer.engineHash) {
      this.#others.set(engineHash, (this.#others.get(engineHash) ?? 0) + 1)
    }
    return recording
  }

  /** Returns a line per other engine. */
  notes(): string[] {
    const short = (hash: string) => hash.slice(0, 12)
    const own = short(this.#replayer.engineHash)
    return Array.from(
      this.#others,
      ([hash, count]) =>
        `Note: recorded with engine ${short(hash)}: ${count}; this one is ${own}\n`,
    )
  }
}
