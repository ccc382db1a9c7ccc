/** A home to open, and the requests to send to it. */
export interface DamageTask {
  readonly home: string
  readonly flags: readonly string[]
  /** True to run `debug verify-db` first. */
  readonly verifies: boolean
  readonly requests: readonly (readonly [method: string, params: readonly unknown[]])[]
  /** Routes of the consensus RPC. */
  readonly routes: readonly string[]
}

/** The result of a task. */
export interface DamageReport {
  /** Exit code of `start`, or 0 if it served and was stopped. */
  readonly code: number
  readonly output: string
  readonly verified: number
  readonly verification: string
  /** Undefined if the node did not start. */
  readonly answers: readonly string[] | undefined
  /** True if the process must end, because a node that failed while running closed nothing and left its locks. */
  readonly isSpent: boolean
}
