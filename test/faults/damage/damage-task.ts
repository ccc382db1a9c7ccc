/** A home to be read, and what it is asked. */
export interface DamageTask {
  readonly home: string
  readonly flags: readonly string[]
  /** Whether `debug verify-db` reads it first. */
  readonly verifies: boolean
  readonly requests: readonly (readonly [method: string, params: readonly unknown[]])[]
  /** Of the consensus RPC. */
  readonly routes: readonly string[]
}

/** What came of it. */
export interface DamageReport {
  /** Exit code of `start`; 0 where it served and was stopped. */
  readonly code: number
  readonly output: string
  readonly verified: number
  readonly verification: string
  /** Undefined where nothing was served. */
  readonly answers: readonly string[] | undefined
  /** A node that fails while it runs closes nothing, its process ends: this one would go on with the node's locks. */
  readonly isSpent: boolean
}
