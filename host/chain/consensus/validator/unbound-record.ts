import type { SignMemory } from './sign-memory.ts'
import { type SignState, UNSIGNED } from './sign-state.ts'

/** Stores no signatures: a development chain removes blocks and signs the same height again. */
export class UnboundRecord implements SignMemory {
  readonly isBound = false
  readonly state: SignState = UNSIGNED

  async write(): Promise<void> {}

  async complete(): Promise<void> {}

  async follow(): Promise<void> {}
}
