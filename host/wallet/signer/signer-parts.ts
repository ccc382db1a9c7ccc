import type { OpenParts } from '../policy/decision.ts'
import type { SignedRequest } from '../protocol/authorization.ts'
import type { AuditEvent } from '../vault/audit-log.ts'
import type { Vault } from '../vault/vault.ts'
import type { Agent, AgentStore } from './agent-store.ts'
import type { AuthorizationRules, ReadRequest } from './authorized-request.ts'
import type { ImportKeys } from './import-keys.ts'
import type { Recovery } from './key-signer.ts'
import type { RequestLog } from './request-log.ts'
import type { FilledTransaction } from './signer-link.ts'
import type { SignerStore } from './signer-store.ts'
import type { SpendingCharges } from './spending-charges.ts'

/** Who may change the policies of what has no owner: its app, or nobody. */
export type PolicyChanges = 'app' | 'owner'

/** What the commands of the signer are made of. */
export interface SignerParts {
  readonly store: SignerStore
  readonly agents: AgentStore
  readonly log: RequestLog
  readonly charges: SpendingCharges
  readonly vault: Vault
  readonly recovery: Recovery
  /** Writes an event in the transaction that is open. */
  readonly audit: (event: AuditEvent) => void
  readonly imports: ImportKeys
  readonly authorization: AuthorizationRules
  readonly requirePolicy: boolean
  /** Whether the app alone may change policies of what has no owner. */
  readonly policyChanges: PolicyChanges
}

/** A question as a command gets it. */
export interface Command {
  readonly appId: string
  readonly requestId: string
  /** Who asks in place of the app. */
  readonly agent: Agent | undefined
  readonly request: SignedRequest
  readonly read: ReadRequest
  readonly filled: Partial<FilledTransaction> | undefined
  /** What is not known yet, if the request is judged before it is filled. */
  readonly open?: OpenParts
  /** Milliseconds since 1970. */
  readonly now: number
}
