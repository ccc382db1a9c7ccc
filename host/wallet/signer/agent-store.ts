import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { LockstepError } from '../../base/error.ts'
import { LAST_MILLISECOND } from '../../base/time.ts'
import { requireCount } from '../../base/writable.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { AGENT_PREFIX, type AgentProof } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { AuditEvent } from '../vault/audit-log.ts'

/** An agent as commands show it: it may use one wallet. Times are milliseconds since 1970. */
export interface Agent {
  readonly agentId: string
  readonly appId: string
  readonly walletId: string
  /** A policy in addition to those of the wallet. Null for none. */
  readonly policyId: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

/** The credentials of a new agent. The secret is shown once; the store has its hash. */
export interface NewAgent {
  readonly agentId: string
  readonly agentSecret: string
}

interface AgentRow {
  readonly id: string
  readonly app_id: string
  readonly wallet_id: string
  readonly policy_id: string | null
  readonly secret_hash: Uint8Array
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly audited: number
}

/** 256 random bits cannot be guessed, so a plain hash is as safe as a slow one. */
const SECRET_BYTES = 32
const ID_BYTES = 12
const NO_HASH = new Uint8Array(32)

const CREATED = 1
const REVOKED = 2

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest()
}

/** The agents of a signer. Commands write them while the signer runs. */
export class AgentStore {
  readonly #sql: Statements

  constructor(database: DatabaseSync) {
    this.#sql = new Statements(database)
  }

  /** @throws INVALID_ARGUMENT if a time is not in the years 1970 to 9999: an invalid expiry would never end */
  create(
    agent: Pick<Agent, 'appId' | 'walletId' | 'policyId' | 'expiresAt'>,
    now: number,
  ): NewAgent {
    const agentId = `${AGENT_PREFIX}${randomBytes(ID_BYTES).toString('hex')}`
    const agentSecret = randomBytes(SECRET_BYTES).toString('base64url')
    const { appId, walletId, policyId, expiresAt } = agent
    requireCount(now, 'the time of an agent', LAST_MILLISECOND)
    if (expiresAt !== null) requireCount(expiresAt, 'the expiry of an agent', LAST_MILLISECOND)
    this.#sql.run(
      'INSERT INTO agents (id, app_id, wallet_id, policy_id, secret_hash, created_at, expires_at) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?)',
      agentId,
      appId,
      walletId,
      policyId,
      hashOf(agentSecret),
      now,
      expiresAt,
    )
    if (policyId !== null) {
      this.#sql.run('INSERT INTO uses (used, user) VALUES (?, ?)', policyId, agentId)
    }
    return { agentId, agentSecret }
  }

  /** Returns the agents of one app or of all, oldest first. */
  list(appId?: string): readonly Agent[] {
    const rows = this.#sql.all<AgentRow>(
      'SELECT * FROM agents WHERE ? IS NULL OR app_id = ? ORDER BY number',
      appId ?? null,
      appId ?? null,
    )
    return rows.map(agentOf)
  }

  /** Revokes the credentials, from the next request on. @throws NOT_FOUND */
  revoke(agentId: string, now: number): void {
    const found = this.#find(agentId)
    if (found === undefined) {
      throw new LockstepError('NOT_FOUND', `there is no agent ${agentId}`, {
        hint: 'lockstep wallet agent list shows all agents',
      })
    }
    requireCount(now, 'the time of a revocation', LAST_MILLISECOND)
    this.#sql.run(
      'UPDATE agents SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
      now,
      agentId,
    )
    this.#sql.run('DELETE FROM uses WHERE user = ?', agentId)
  }

  /** Returns the agent with this secret. Takes as long for an unknown agent. @throws WalletError unauthorized */
  require({ id, secret }: AgentProof, now: number): Agent {
    const row = this.#find(id)
    const same = timingSafeEqual(hashOf(secret), row?.secret_hash ?? NO_HASH)
    if (row === undefined || !same) throw unauthorized('there is no agent with this id and secret')
    const agent = agentOf(row)
    const { expiresAt, revokedAt } = agent
    if (revokedAt !== null) {
      throw unauthorized(`the credentials of the agent were revoked at ${timeText(revokedAt)}`)
    }
    if (expiresAt !== null && expiresAt <= now) {
      throw unauthorized(`the credentials of the agent expired at ${timeText(expiresAt)}`)
    }
    return agent
  }

  /** Appends changes by commands that the audit log lacks, within the open database transaction. */
  audit(append: (event: AuditEvent) => void): void {
    const rows = this.#sql.all<AgentRow>(
      `SELECT * FROM agents WHERE audited < ${CREATED} OR (audited < ${REVOKED} AND revoked_at IS NOT NULL) ORDER BY number`,
    )
    for (const row of rows) {
      const { agentId, appId, ...details } = agentOf(row)
      if (row.audited < CREATED) {
        append({ kind: 'agent.created', appId, subject: agentId, details })
      }
      if (row.revoked_at !== null) {
        append({ kind: 'agent.revoked', appId, subject: agentId, details })
      }
      const audited = row.revoked_at === null ? CREATED : REVOKED
      this.#sql.run('UPDATE agents SET audited = ? WHERE id = ?', audited, agentId)
    }
  }

  #find(id: string): AgentRow | undefined {
    return this.#sql.get<AgentRow>('SELECT * FROM agents WHERE id = ?', id)
  }
}

function agentOf(row: AgentRow): Agent {
  return {
    agentId: row.id,
    appId: row.app_id,
    walletId: row.wallet_id,
    policyId: row.policy_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function unauthorized(text: string): WalletError {
  return new WalletError('unauthorized', text)
}
