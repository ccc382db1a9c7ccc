import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'

/**
 * Called before the blocks above `kept` are removed, while they can still be read. The returned function is called
 * after the removal.
 */
export type RemovalListener = (kept: number) => (() => void) | undefined

/** Announces each block once it is durable. */
export interface HeadFeed {
  /** Calls the listener after each acknowledged block, in order. Returns a function that removes the listener. */
  onBlock(listener: (executed: ExecutedBlock) => void): () => void
  /**
   * Calls the listener around each removal of the latest blocks on a development chain. Returns a function that
   * removes the listener.
   */
  onRemoval(listener: RemovalListener): () => void
}

/** Listeners for blocks. An error of one listener reaches neither the others nor consensus. */
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

  /**
   * Announces that the blocks above `kept` are about to be removed.
   * @returns a function to call after their removal
   */
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
