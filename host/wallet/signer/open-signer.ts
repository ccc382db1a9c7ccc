import type { DatabaseSync } from 'node:sqlite'
import type { ChildLog } from '../launch/start-contract.ts'
import type { Vault } from '../vault/vault.ts'
import type { AuthorizationRules } from './authorized-request.ts'
import { RequestLog } from './request-log.ts'
import { Signer } from './signer.ts'
import type { AuditEvent } from './signer-parts.ts'
import { SignerServer } from './signer-server.ts'
import { SignerStore } from './signer-store.ts'
import { SpendingCharges } from './spending-charges.ts'

export interface SignerOptions {
  /** Of `openSignerDatabase`. */
  readonly database: DatabaseSync
  readonly vault: Vault
  /** Writes an event in the transaction that is open. */
  readonly audit: (event: AuditEvent) => void
  readonly authorization: AuthorizationRules
  readonly requirePolicy: boolean
  readonly log: ChildLog
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/** The signer behind its socket, which is not listened at yet. */
export function openSigner(options: SignerOptions): SignerServer {
  const { database, vault, audit, authorization, requirePolicy, log, clock } = options
  const store = new SignerStore(database)
  const requests = new RequestLog(database)
  const charges = new SpendingCharges(database)
  const signer = new Signer(
    { store, log: requests, charges, vault, audit, authorization, requirePolicy },
    clock,
  )
  return new SignerServer({
    signer,
    database,
    forget: () => store.forget(),
    tidy: (now) => requests.dropOld(now),
    log,
  })
}
