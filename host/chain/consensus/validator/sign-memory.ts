import type { SignState } from './sign-state.ts'

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
