import { type SignState, UNSIGNED } from './sign-state.ts'

/** Stores the last signature of a validator. */
export interface SignMemory {
  /** True if it prevents the validator from signing twice. */
  readonly isBound: boolean
  readonly state: SignState
  /** Resolves when the state is durable. */
  write(state: SignState): Promise<void>
  /** Finishes a write that a crash interrupted. */
  complete(): Promise<void>
  /** Reads what another process has signed. */
  follow(): Promise<void>
}

/** Stores no signatures: a development chain removes blocks and signs the same height again. */
export class UnboundRecord implements SignMemory {
  readonly isBound = false
  readonly state: SignState = UNSIGNED

  async write(): Promise<void> {}

  async complete(): Promise<void> {}

  async follow(): Promise<void> {}
}
