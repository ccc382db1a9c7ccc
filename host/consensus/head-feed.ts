import type { ExecutedBlock } from '../store/codec/block-record.ts'

/** Announces each block once it is durable. */
export interface HeadFeed {
  /** Calls the listener after each acknowledged block, in order; returns how to stop. */
  onBlock(listener: (executed: ExecutedBlock) => void): () => void
}
