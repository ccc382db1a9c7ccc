/** What a rollback is asked for. */
export interface RollbackRequest {
  /** Heights to go back. */
  readonly blocks: number
  /** Removes the blocks too; else they are executed again at the next start. */
  readonly hard: boolean
  /** Lets a validator sign again the heights whose blocks are removed. */
  readonly signAgain: boolean
}

/** Where a home stands. */
export interface HomeHeights {
  /** Newest height that was executed, and the app hash after it; undefined where no store has it. */
  readonly app: number
  readonly appHash: Uint8Array | undefined
  /** Newest block that was decided. */
  readonly consensus: number
}

export interface RolledBack {
  readonly height: number
  readonly appHash: Uint8Array
  /** App hash that the consensus has for `height`. */
  readonly stateHash: Uint8Array
  /** Newest block that stays, to be executed again; `height` where none does. */
  readonly kept: number
  /** True where blocks were removed. */
  readonly removed: boolean
}

/** A part of the work that is counted by itself. */
export interface RollbackStage {
  readonly label: string
  readonly unit: string
  readonly total: number
}

/** Hears how the work goes; what it throws ends the work, which can be taken up again. */
export interface RollbackListener {
  /** Where the home stands, before anything is changed, and the height it goes to. */
  onHeights(heights: HomeHeights, target: number, isResumed: boolean): void
  onStage(stage: RollbackStage): void
  onProgress(done: number): Promise<void> | undefined
}
