import type { LockstepError } from '../../base/error.ts'
import type { AbciApplication } from './abci-application.ts'

export interface AbciServerOptions {
  /** The Unix socket; what lies there of a process that was killed is removed. */
  readonly path: string
  readonly application: AbciApplication
  /**
   * A method failed: CometBFT is told, and ends. Called once for each failure, before the answer leaves.
   * @param method such as `finalize_block`
   */
  readonly onFailure: (error: LockstepError, method: string) => void
}

/** A socket that CometBFT drives an application over. */
export interface AbciServer {
  /** Connections that are open: four while CometBFT runs. */
  readonly connections: number
  /** Hands later requests to another application, once those in work are answered but the one that this is part of. */
  switchTo(application: AbciApplication): void
  /** Takes no more connections, ends those that are, and resolves when no request is in work. */
  close(): Promise<void>
}

/** Listens, mode 0600. */
export type ServeAbci = (options: AbciServerOptions) => Promise<AbciServer>
