import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Claims } from '../../../host/payments/claim/claims.ts'
import { type Ledger, openLedger } from '../../../host/payments/claim/ledger.ts'
import { openClaims } from '../../../host/payments/claim/open-claims.ts'
import { openPostgresClaims } from '../../../host/payments/store/open-postgres-claims.ts'
import { openPostgresLedger } from '../../../host/payments/store/postgres-ledger.ts'
import type { PostgresServer } from '../store/postgres-server.ts'

/** An empty store of claims. Each opening stands for a process. */
export interface ClaimTestStore {
  claims(): Promise<Claims>
  ledger(): Promise<Ledger>
}

export function temporaryClaimsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function folderClaimStore(): Promise<ClaimTestStore> {
  const folder = temporaryClaimsFolder()
  return { claims: () => openClaims(folder), ledger: () => openLedger(folder) }
}

/** Processes without a disk of their own, which share a new database of the server. */
export async function postgresClaimStore(server: PostgresServer): Promise<ClaimTestStore> {
  const url = await server.database()
  return {
    claims: () => openPostgresClaims(url, { beatMs: 50 }),
    ledger: () => openPostgresLedger(url),
  }
}
