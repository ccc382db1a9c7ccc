import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SignedRequest } from '../../../host/wallet/protocol/authorization.ts'
import { AgentStore, type NewAgent } from '../../../host/wallet/signer/agent-store.ts'
import { openSigner, type SignerOptions } from '../../../host/wallet/signer/open-signer.ts'
import { openSignerDatabase } from '../../../host/wallet/signer/signer-database.ts'
import type { FilledTransaction, SignerRequest } from '../../../host/wallet/signer/signer-link.ts'
import { SocketSignerLink } from '../../../host/wallet/signer/socket-signer-link.ts'
import { type AuditEvent, AuditLog } from '../../../host/wallet/vault/audit-log.ts'
import { openVault } from '../../../host/wallet/vault/open-vault.ts'
import { wasmRecovery } from '../chain/wasm-recovery.ts'
import { type AuthorizationKey, authorize } from './authorization-key.ts'

export const PUBLIC_URL = 'http://127.0.0.1:8403'
export const SECOND_URL = 'https://wallets.example.com'

export interface Ask {
  readonly method?: SignedRequest['method']
  readonly path: string
  readonly body?: unknown
  readonly app?: string
  readonly agent?: NewAgent
  readonly keys?: readonly AuthorizationKey[]
  readonly family?: 'wallet' | 'privy'
  readonly expiry?: number
  readonly idempotencyKey?: string
  /** Base URL in the signed text. */
  readonly url?: string
  readonly requestId?: string
}

let requests = 0

/** Returns a request as the API forwards it, signed with keys as SDKs sign. */
export function askedOf(ask: Ask): SignerRequest {
  const {
    method = 'POST',
    path,
    app = 'app-1',
    keys = [],
    family = 'privy',
    url = PUBLIC_URL,
  } = ask
  const headers = {
    [`${family}-app-id`]: app,
    ...(ask.idempotencyKey && { [`${family}-idempotency-key`]: ask.idempotencyKey }),
    ...(ask.expiry && { [`${family}-request-expiry`]: `${ask.expiry}` }),
  }
  const body = ask.body === undefined ? '' : JSON.stringify(ask.body)
  const signed = body === '' || body === '{}' ? '' : JSON.parse(body)
  const signatures = keys.map((key) =>
    authorize(
      { version: 1, method: method as 'POST', url: url + path, body: signed, headers },
      key,
    ),
  )
  return {
    appId: app,
    requestId: ask.requestId ?? `request-${requests++}`,
    ...(ask.agent && { agent: { id: ask.agent.agentId, secret: ask.agent.agentSecret } }),
    request: { method, path, body, headers, signatures },
  }
}

/** Starts a signer in this process, with a real socket and a real file. */
export async function startSigner(options: Partial<SignerOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'signer-'))
  const socket = join(folder, 's')
  const logged: string[] = []
  const note = (message: string) => void logged.push(message)
  const database = openSignerDatabase(join(folder, 'signer.db'))
  const { vault } = openVault(database, [{ kind: 'key', bytes: randomBytes(32) }], Date.now())
  const server = openSigner({
    database,
    vault,
    recovery: wasmRecovery,
    audit: new AuditLog(database, vault),
    authorization: { publicUrls: [PUBLIC_URL, SECOND_URL], requireExpiry: false },
    requirePolicy: false,
    policyChanges: 'app',
    log: { debug: note, info: note, warn: note, error: note },
    ...options,
  })
  await server.listen(socket)
  const link = new SocketSignerLink(socket, { patienceMs: 60_000 })
  return {
    socket,
    folder,
    database,
    /** Written over a separate connection, as by another process. */
    agents: new AgentStore(openSignerDatabase(join(folder, 'signer.db'))),
    link,
    audited: (): readonly AuditEvent[] =>
      database
        .prepare('SELECT event FROM audit ORDER BY number')
        .all()
        .map(({ event }) => JSON.parse(event as string)),
    logged,
    ask: (ask: Ask) => link.ask(askedOf(ask)) as Promise<Record<string, unknown>>,
    sign: (ask: Ask, filled?: FilledTransaction) => link.sign(askedOf(ask), filled),
    async close() {
      await link.close()
      await server.close()
      database.close()
      await rm(folder, { recursive: true })
    },
  }
}

export type TestSigner = Awaited<ReturnType<typeof startSigner>>
