import type { DatabaseSync } from 'node:sqlite'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import type { SignerLink } from '../signer/signer-link.ts'
import type { WebhookOutbox } from '../webhook/outbox.ts'

/** A chain that wallets send to. */
export interface PipelineChain {
  /** CAIP-2. */
  readonly caip2: string
  /** JSON-RPC over HTTP. */
  readonly url: string
  /** Displayed symbol of the native token. Default: ETH. */
  readonly symbol?: string
}

export interface PipelineOptions {
  /** The service's database. The pipeline has its own tables in it. */
  readonly database: DatabaseSync
  readonly commits: GroupCommit
  readonly signer: SignerLink
  readonly chains: readonly PipelineChain[]
  readonly outbox: WebhookOutbox
  /** Called with errors that reach no caller. */
  readonly onTrouble?: (error: unknown) => void
  readonly times?: Partial<PipelineTimes>
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly makeId?: () => string
}

/** All in milliseconds. */
export interface PipelineTimes {
  /** Interval of height polls while the chain has open transactions. */
  readonly pollMs: number
  /** Transactions are checked at each block, and after this time without a block. */
  readonly patienceMs: number
  /** Age at which `transaction.still_pending` is sent. */
  readonly stillPendingMs: number
  /** Age at which a transaction fails if the node answers with errors of its own. */
  readonly giveUpMs: number
  /** How long failed and replaced transactions are still looked up in blocks. */
  readonly doubtMs: number
  /** How long the nonces of the chain are cached while the account has waiting transactions. */
  readonly trustMs: number
  /** How long a call waits for a restarting signer. */
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
