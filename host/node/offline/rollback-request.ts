/** Options of a rollback. */
export interface RollbackRequest {
  /** Number of heights to go back. */
  readonly blocks: number
  /** Also removes the blocks; otherwise the next start executes them again. */
  readonly hard: boolean
  /** Allows a validator to sign the heights of removed blocks again. */
  readonly signAgain: boolean
}

/** Heights of a home before a rollback. */
export interface HomeHeights {
  /** Latest executed height, and its app hash; undefined if no store has it. */
  readonly app: number
  readonly appHash: Uint8Array | undefined
  /** Height of the latest decided block. */
  readonly consensus: number
}

export interface RolledBack {
  readonly height: number
  readonly appHash: Uint8Array
  /** App hash that consensus has for `height`. */
  readonly stateHash: Uint8Array
  /** Latest remaining block, to be executed again; `height` if none remains. */
  readonly kept: number
  /** True if blocks were removed. */
  readonly removed: boolean
}

/** A stage with its own progress count. */
export interface RollbackStage {
  readonly label: string
  readonly unit: string
  readonly total: number
}

/** Receives progress; an error it throws aborts the rollback, which can be resumed. */
export interface RollbackListener {
  /** Called before anything is changed, with the home's heights and the target. */
  onHeights(heights: HomeHeights, target: number, isResumed: boolean): void
  onStage(stage: RollbackStage): void
  onProgress(done: number): Promise<void> | undefined
}
