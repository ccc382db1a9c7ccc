import type { DatabaseSync } from 'node:sqlite'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import type { SignerLink } from '../signer/signer-link.ts'
import type { Outbox } from '../webhook/outbox.ts'
import type { PipelineTimes } from './pipeline-times.ts'

/** A chain that wallets send to. */
export interface PipelineChain {
  /** CAIP-2. */
  readonly caip2: string
  /** JSON-RPC over HTTP. */
  readonly url: string
  /** Of the native token, for people; ETH where nothing is named. */
  readonly symbol?: string
}

export interface PipelineOptions {
  /** Of the service: the pipeline keeps its own tables in it. */
  readonly database: DatabaseSync
  readonly commits: GroupCommit
  readonly signer: SignerLink
  readonly chains: readonly PipelineChain[]
  readonly outbox: Outbox
  /** Told of troubles that no caller is told of. */
  readonly onTrouble?: (error: unknown) => void
  readonly times?: Partial<PipelineTimes>
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly makeId?: () => string
}
