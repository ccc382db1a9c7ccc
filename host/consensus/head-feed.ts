import type { ExecutedBlock } from '../store/codec/block-record.ts'

/** Announces each block once it is durable. */
export interface HeadFeed {
  /** Calls the listener after each acknowledged block, in order; returns how to stop. */
  onBlock(listener: (executed: ExecutedBlock) => void): () => void
}

/** The listeners that are told of each block. One listener's error reaches neither the others nor consensus. */
export class BlockListeners implements HeadFeed {
  readonly #listeners = new Set<(executed: ExecutedBlock) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  onBlock(listener: (executed: ExecutedBlock) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(executed: ExecutedBlock): void {
    for (const listener of this.#listeners) {
      try {
        listener(executed)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
