import type { DatabaseSync } from 'node:sqlite'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import type { SignerLink } from '../signer/signer-link.ts'
import type { WebhookOutbox } from '../webhook/outbox.ts'
import type { PipelineTimes } from './pipeline-times.ts'

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
