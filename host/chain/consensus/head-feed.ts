import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'

/**
 * Told that the blocks above `kept` are about to be removed, while they still can be read. What it returns is called once
 * they are gone.
 */
export type RemovalListener = (kept: number) => (() => void) | undefined

/** Announces each block once it is durable. */
export interface HeadFeed {
  /** Calls the listener after each acknowledged block, in order; returns how to stop. */
  onBlock(listener: (executed: ExecutedBlock) => void): () => void
  /** Calls the listener around each removal of the newest blocks, on a development chain; returns how to stop. */
  onRemoval(listener: RemovalListener): () => void
}

/** The listeners that are told of each block. One listener's error reaches neither the others nor consensus. */
export class BlockListeners implements HeadFeed {
  readonly #blocks = new Set<(executed: ExecutedBlock) => void>()
  readonly #removals = new Set<RemovalListener>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  onBlock(listener: (executed: ExecutedBlock) => void): () => void {
    this.#blocks.add(listener)
    return () => this.#blocks.delete(listener)
  }

  onRemoval(listener: RemovalListener): () => void {
    this.#removals.add(listener)
    return () => this.#removals.delete(listener)
  }

  announce(executed: ExecutedBlock): void {
    for (const listener of this.#blocks) this.#tell(() => listener(executed))
  }

  /** Announces that the blocks above `kept` are about to be removed. @returns what says that they are gone */
  announceRemoval(kept: number): () => void {
    const done = [...this.#removals].map((listener) => this.#tell(() => listener(kept)))
    return () => {
      for (const tell of done) if (tell !== undefined) this.#tell(tell)
    }
  }

  #tell<Result>(call: () => Result): Result | undefined {
    try {
      return call()
    } catch (error) {
      this.#onError(error)
      return undefined
    }
  }
}
