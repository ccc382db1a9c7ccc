import type { DatabaseSync } from 'node:sqlite'
import type { ChildLog } from '../launch/start-contract.ts'
import type { AuditEvent, AuditLog } from '../vault/audit-log.ts'
import type { Vault } from '../vault/vault.ts'
import { AgentStore } from './agent-store.ts'
import type { AuthorizationRules } from './authorized-request.ts'
import { ImportKeys } from './import-keys.ts'
import type { Recovery } from './key-signer.ts'
import { RequestLog } from './request-log.ts'
import { Signer } from './signer.ts'
import type { PolicyChanges } from './signer-parts.ts'
import { SignerServer } from './signer-server.ts'
import { SignerStore } from './signer-store.ts'
import { SpendingCharges } from './spending-charges.ts'

export interface SignerOptions {
  /** From `openSignerDatabase`. */
  readonly database: DatabaseSync
  readonly vault: Vault
  readonly recovery: Recovery
  /** Uses the same database. */
  readonly audit: Pick<AuditLog, 'append' | 'forget'>
  readonly authorization: AuthorizationRules
  readonly requirePolicy: boolean
  readonly policyChanges: PolicyChanges
  /** Called after each commit. */
  readonly committed?: () => void
  readonly log: ChildLog
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/** Returns the signer's server, which does not listen yet. */
export function openSigner(options: SignerOptions): SignerServer {
  const {
    database,
    vault,
    recovery,
    audit,
    authorization,
    requirePolicy,
    policyChanges,
    committed = () => {},
    log,
    clock = Date.now,
  } = options
  const store = new SignerStore(database)
  const agents = new AgentStore(database)
  const write = (event: AuditEvent) => audit.append(event, clock())
  const requests = new RequestLog(database)
  const charges = new SpendingCharges(database)
  const signer = new Signer(
    {
      store,
      agents,
      log: requests,
      charges,
      vault,
      recovery,
      imports: new ImportKeys(),
      audit: write,
      authorization,
      requirePolicy,
      policyChanges,
    },
    clock,
  )
  return new SignerServer({
    signer,
    database,
    forget: () => {
      store.forget()
      charges.forget()
      audit.forget()
    },
    catchUp: () => agents.audit(write),
    tidy: (now) => {
      requests.dropOld(now)
      charges.dropOld(Math.floor(now / 1000))
    },
    committed,
    log,
  })
}
