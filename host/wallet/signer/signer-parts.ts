import type { OpenParts } from '../policy/decision.ts'
import type { SignedRequest } from '../protocol/authorization.ts'
import type { AuditEvent } from '../vault/audit-log.ts'
import type { Vault } from '../vault/vault.ts'
import type { Agent, AgentStore } from './agent-store.ts'
import type { AuthorizationRules, ParsedWalletRequest } from './authorized-request.ts'
import type { ImportKeys } from './import-keys.ts'
import type { Recovery } from './key-signer.ts'
import type { RequestLog } from './request-log.ts'
import type { FilledTransaction } from './signer-link.ts'
import type { SignerStore } from './signer-store.ts'
import type { SpendingCharges } from './spending-charges.ts'

/** Who may change policies of ownerless resources: the app, or no one. */
export type PolicyChanges = 'app' | 'owner'

/** Dependencies of the signer's commands. */
export interface SignerParts {
  readonly store: SignerStore
  readonly agents: AgentStore
  readonly log: RequestLog
  readonly charges: SpendingCharges
  readonly vault: Vault
  readonly recovery: Recovery
  /** Writes an event within the open database transaction. */
  readonly audit: (event: AuditEvent) => void
  readonly imports: ImportKeys
  readonly authorization: AuthorizationRules
  readonly requirePolicy: boolean
  /** Whether the app alone may change policies of ownerless resources. */
  readonly policyChanges: PolicyChanges
}

/** A parsed request for a command. */
export interface Command {
  readonly appId: string
  readonly requestId: string
  /** Set if an agent asks instead of the app. */
  readonly agent: Agent | undefined
  readonly request: SignedRequest
  readonly read: ParsedWalletRequest
  readonly filled: Partial<FilledTransaction> | undefined
  /** Unknown parts, if the request is evaluated before it is filled. */
  readonly open?: OpenParts
  /** Milliseconds since 1970. */
  readonly now: number
}
