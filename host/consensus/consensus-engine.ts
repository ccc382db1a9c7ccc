/** What drives the application: the embedded engine, or CometBFT behind a socket. */
export interface ConsensusEngine {
  /** Newest height that the application has committed; 0 before the first block. */
  readonly height: number
  /** Says that transactions wait for a block. Matters only while empty blocks are off. */
  notifyTransactions(): void
  /** Finishes the height in progress; after it the application is no longer called. */
  stop(): Promise<void>
}
