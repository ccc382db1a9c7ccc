import type { SignMemory } from './sign-memory.ts'
import { type SignState, UNSIGNED } from './sign-state.ts'

/**
 * Remembers no signature: on a development chain, whose blocks are removed and made anew, a height is signed as often as
 * it comes.
 */
export class UnboundRecord implements SignMemory {
  readonly isBound = false
  readonly state: SignState = UNSIGNED

  async write(): Promise<void> {}

  async complete(): Promise<void> {}

  async follow(): Promise<void> {}
}
