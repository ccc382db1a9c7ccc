/** Milliseconds. */
export interface PipelineTimes {
  /** Between two looks at the height of a chain while something of ours is open there. */
  readonly pollMs: number
  /** A look at transactions comes with each block, and after so long without one. */
  readonly patienceMs: number
  /** After which transaction.still_pending tells of one. */
  readonly stillPendingMs: number
  /** After which one is given up that the node answers with errors of its own. */
  readonly giveUpMs: number
  /** For which what was given up is still looked for in blocks. */
  readonly doubtMs: number
  /** For which the nonce that a chain names is believed while transactions of the account wait. */
  readonly trustMs: number
  /** For which a signer that is started again is waited for. */
  readonly signerMs: number
}

export const PIPELINE_TIMES: PipelineTimes = {
  pollMs: 250,
  patienceMs: 5_000,
  stillPendingMs: 5 * 60_000,
  giveUpMs: 10 * 60_000,
  doubtMs: 60 * 60_000,
  trustMs: 1_000,
  signerMs: 15_000,
}
