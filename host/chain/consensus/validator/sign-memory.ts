import type { SignState } from './sign-state.ts'

/** Keeps what a validator has signed last. */
export interface SignMemory {
  /** True where it holds the validator back from signing twice. */
  readonly isBound: boolean
  readonly state: SignState
  /** Kept when it resolves. */
  write(state: SignState): Promise<void>
  /** Finishes a write that a crash cut short. */
  complete(): Promise<void>
  /** Takes over what another process has signed. */
  follow(): Promise<void>
}
