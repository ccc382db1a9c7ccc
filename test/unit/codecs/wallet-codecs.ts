import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { formatData } from '../../../host/base/hex.ts'
import { GroupCommit } from '../../../host/storage/store/sqlite/group-commit.ts'
import { openDatabase } from '../../../host/storage/store/sqlite/sqlite.ts'
import { TransactionStore } from '../../../host/wallet/pipeline/transaction-store.ts'
import {
  FIELD_SOURCES,
  OPERATORS,
  RULE_METHODS,
} from '../../../host/wallet/protocol/policy-shapes.ts'
import { AppStore } from '../../../host/wallet/service/app-store.ts'
import { IdempotencyStore } from '../../../host/wallet/service/idempotency-store.ts'
import { openServiceDatabase } from '../../../host/wallet/service/service-database.ts'
import { AgentStore } from '../../../host/wallet/signer/agent-store.ts'
import { RequestLog } from '../../../host/wallet/signer/request-log.ts'
import { openSignerDatabase } from '../../../host/wallet/signer/signer-database.ts'
import { SignerStore } from '../../../host/wallet/signer/signer-store.ts'
import { SpendingCharges } from '../../../host/wallet/signer/spending-charges.ts'
import { openAuditKey } from '../../../host/wallet/vault/audit-key.ts'
import { AuditLog } from '../../../host/wallet/vault/audit-log.ts'
import { Vault } from '../../../host/wallet/vault/vault.ts'
import { verifyAudit } from '../../../host/wallet/vault/verify-audit.ts'
import { DELIVERY_STATES, WebhookStore } from '../../../host/wallet/webhook/webhook-store.ts'
import { type Codec, codec } from './codec.ts'
import { bytes, count, data, few, integer, json, name, optional, text } from './hostile.ts'

const MEMORY = ':memory:'

interface Opened<Store> {
  readonly database: DatabaseSync
  /** Opens a store without the writer's memory, unless the store keeps nothing in memory. */
  readonly store: () => Store
}

interface RowParts<Value, Store> {
  readonly name: string
  readonly file: string
  readonly values: fc.Arbitrary<Value>
  readonly open: () => Opened<Store>
  readonly put: (store: Store, value: Value) => void
  readonly get: (store: Store, value: Value, database: DatabaseSync) => unknown
  readonly kept?: (value: Value) => unknown
}

/**
 * A row that the real writer puts into an in-memory database and another reader returns. It is rolled back for the
 * next value.
 */
function rows<Value, Store>({ open, put, get, ...parts }: RowParts<Value, Store>): Codec {
  let opened: Opened<Store> | undefined
  return codec({
    ...parts,
    encode: (value: Value) => {
      opened ??= open()
      const { database, store } = opened
      if (database.isTransaction) database.exec('ROLLBACK')
      database.exec('BEGIN')
      put(store(), value)
      return { database, store, value }
    },
    decode: ({ database, store, value }) => get(store(), value, database),
  })
}

function signerRows<Store>(make: (database: DatabaseSync) => Store): () => Opened<Store> {
  return () => {
    const database = openSignerDatabase(MEMORY)
    return { database, store: () => make(database) }
  }
}

const openStore = signerRows((database) => new SignerStore(database))
const openAgents = signerRows((database) => new AgentStore(database))
const openLog = signerRows((database) => new RequestLog(database))
const openCharges = signerRows((database) => new SpendingCharges(database))
const openAudit = signerRows((database) => database)

const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
/** A nonempty id, since an empty one is the cursor of the first page. */
const id = name.filter((one) => one !== '')
const jsonTexts = json.map((value) =>
  JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member)),
)
const dataHex = (length: number) => bytes(length).map(formatData)

const wallet = fc.record({
  appId: name,
  wallet: fc.record({
    id,
    address: dataHex(20),
    public_key: dataHex(33),
    chain_type: fc.constant('ethereum' as const),
    policy_ids: few(name, 2),
    owner_id: nullable(name),
    additional_signers: few(
      fc.record({ signer_id: name, override_policy_ids: optional(few(name, 2)) }),
      2,
    ),
    display_name: nullable(text),
    external_id: nullable(name),
    created_at: count(),
    exported_at: nullable(count()),
    imported_at: nullable(count()),
    archived_at: nullable(count()),
  }),
  address: bytes(20),
  publicKey: bytes(33),
  key: fc.record({
    version: fc.constant(1 as const),
    wrapped: data(60),
    sealed: data(60),
    masterKey: count(),
  }),
})

const policy = fc.record({
  id,
  version: fc.constant('1.0' as const),
  name: text,
  chain_type: fc.constant('ethereum' as const),
  rules: few(
    fc.record({
      id: name,
      name: text,
      method: fc.constantFrom(...RULE_METHODS),
      action: fc.constantFrom('ALLOW' as const, 'DENY' as const),
      conditions: few(
        fc.record({
          field_source: fc.constantFrom(...FIELD_SOURCES),
          field: text,
          operator: fc.constantFrom(...OPERATORS),
          value: fc.oneof(text, few(text, 2)),
          abi: optional(few(json, 2)),
          typed_data: optional(json),
          period: optional(count()),
        }),
        2,
      ),
    }),
    2,
  ),
  owner_id: nullable(name),
  created_at: count(),
})

const PUBLIC_KEYS = Array.from({ length: 2 }, () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64'),
)

const quorum = fc.record({
  id,
  display_name: nullable(text),
  authorization_threshold: count(),
  authorization_keys: few(
    fc.record({
      public_key: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...PUBLIC_KEYS) },
        { weight: 1, arbitrary: text },
      ),
      display_name: nullable(text),
    }),
    2,
  ),
  key_quorum_ids: few(name, 2),
  created_at: count(),
})

const YEAR_9999 = 253_402_300_799_999

const PAGE = { cursor: undefined, limit: 10 }

const VAULT = new Vault({ number: 1, wrapping: randomBytes(32) })

const event = fc.record({
  kind: name,
  appId: name,
  subject: text,
  details: fc.oneof(fc.dictionary(text, json, { maxKeys: 3 }), fc.record({ at: count() })),
})

const IDLE = { type: 'x', body: '{}' }
const WEBHOOK = {
  id: 'w',
  app_id: 'a',
  url: 'http://127.0.0.1/',
  events: null,
  secrets: '[]',
  created_at: 1,
}

const webhook = fc.record({
  id: name,
  app_id: name,
  url: text,
  events: nullable(few(text).map((types) => JSON.stringify(types))),
  secrets: few(fc.record({ secret: text, until: nullable(count()) })).map((all) =>
    JSON.stringify(all),
  ),
  created_at: count(),
})

function openService(): Opened<DatabaseSync> {
  const database = openServiceDatabase(MEMORY)
  return { database, store: () => database }
}

function openWebhooks(): Opened<WebhookStore> {
  const database = openServiceDatabase(MEMORY)
  const store = new WebhookStore(database)
  store.add(WEBHOOK)
  return { database, store: () => store }
}

function openTransactions(): Opened<TransactionStore> {
  const database = openDatabase(MEMORY)
  const store = new TransactionStore(database)
  return { database, store: () => store }
}

/** Messages from others are stored with a replacement for characters that SQLite loses. */
const readable = (problem: string) => problem.replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd')

const SIGNER_CODECS: readonly Codec[] = [
  rows({
    name: 'wallets',
    file: 'host/wallet/signer/signer-store.ts',
    values: wallet,
    open: openStore,
    put: (store, value) => store.addWallet(value as never),
    get: (store, value) => {
      const filter = { includeArchived: true }
      return [store.wallet(value.wallet.id), ...store.listWallets(value.appId, filter, PAGE)]
    },
    kept: (value) => [value, value],
  }),
  rows({
    name: 'wallets that are changed',
    file: 'host/wallet/signer/signer-store.ts',
    values: fc.tuple(wallet, wallet),
    open: openStore,
    put: (store, [first, second]) => {
      store.addWallet(first as never)
      store.updateWallet({ ...second.wallet, id: first.wallet.id } as never)
    },
    get: (store, [first]) => store.wallet(first.wallet.id),
    kept: ([first, second]) => ({ ...first, wallet: { ...second.wallet, id: first.wallet.id } }),
  }),
  rows({
    name: 'policies',
    file: 'host/wallet/signer/signer-store.ts',
    values: fc.record({ appId: name, policy }),
    open: openStore,
    put: (store, value) => store.putPolicy(value.appId, value.policy as never),
    get: (store, value) => {
      const { policies } = store.policies([value.policy.id])
      return [store.policy(value.policy.id), policies, store.listPolicies(value.appId, PAGE)]
    },
    kept: (value) => [value, [value.policy], [value.policy]],
  }),
  rows({
    name: 'key quorums',
    file: 'host/wallet/signer/signer-store.ts',
    values: fc.record({ appId: name, quorum }),
    open: openStore,
    put: (store, value) => store.putQuorum(value.appId, value.quorum),
    get: (store, value) => {
      const read = store.quorum(value.quorum.id)
      const keys = read?.members.keys.map(({ publicKey }) => publicKey)
      return [read?.appId, read?.quorum, keys, ...store.listQuorums(value.appId, PAGE)]
    },
    kept: (value) => [
      value.appId,
      value.quorum,
      value.quorum.authorization_keys.map((key) => key.public_key),
      value.quorum,
    ],
  }),
  rows({
    name: 'agents',
    file: 'host/wallet/signer/agent-store.ts',
    values: fc.record({
      appId: name,
      walletId: name,
      policyId: nullable(name),
      createdAt: count(YEAR_9999),
      expiresAt: nullable(count(YEAR_9999)),
      revokedAt: nullable(count(YEAR_9999)),
    }),
    open: openAgents,
    put: (store, { createdAt, revokedAt, ...agent }) => {
      const { agentId } = store.create(agent, createdAt)
      if (revokedAt !== null) store.revoke(agentId, revokedAt)
    },
    get: (store) => {
      const [agent] = store.list()
      const { agentId: _, ...read } = agent as NonNullable<typeof agent>
      // Commands display them as ISO dates.
      for (const at of [read.createdAt, read.expiresAt, read.revokedAt]) {
        if (at !== null) new Date(at).toISOString()
      }
      return read
    },
  }),
  rows({
    name: 'answers of the wallet signer',
    file: 'host/wallet/signer/request-log.ts',
    values: fc.record({
      appId: name,
      requestId: name,
      request: bytes(32),
      now: count(),
      answer: json,
    }),
    open: openLog,
    put: (log, { appId, requestId, request, now, answer }) =>
      log.addAnswer(appId, requestId, request, now, answer),
    get: (log, { appId, requestId }, database) => ({
      ...log.answer(appId, requestId),
      now: database.prepare('SELECT answered_at FROM answered').get()?.answered_at,
    }),
    kept: ({ request, answer, now }) => ({ request, answer, now }),
  }),
  rows({
    name: 'signed requests that were used',
    file: 'host/wallet/signer/request-log.ts',
    values: fc.record({
      payload: bytes(32),
      expiry: count(),
      action: text,
      answer: optional(json),
    }),
    open: openLog,
    put: (log, { payload, expiry, action, answer }) => log.addUsed(payload, expiry, action, answer),
    get: (log, { payload }, database) => ({
      ...log.used(payload),
      expiry: database.prepare('SELECT expires_at FROM used_requests').get()?.expires_at,
    }),
    kept: ({ action, answer, expiry }) => ({ action, answer, expiry }),
  }),
  rows({
    name: 'transactions that were signed to be sent',
    file: 'host/wallet/signer/request-log.ts',
    values: fc.record({
      appId: name,
      requestId: name,
      walletId: name,
      encoded: data(),
      now: count(),
    }),
    open: openLog,
    put: (log, { appId, requestId, now, ...sent }) => log.putSent(appId, requestId, sent, now),
    get: (log, { appId, requestId }, database) => ({
      ...log.sent(appId, requestId),
      now: database.prepare('SELECT signed_at FROM sent').get()?.signed_at,
    }),
    kept: ({ walletId, encoded, now }) => ({ walletId, encoded, now }),
  }),
  rows({
    name: 'charges of spending windows',
    file: 'host/wallet/signer/spending-charges.ts',
    values: fc.record({
      walletId: name,
      slot: text,
      now: count(2 ** 40),
      charges: fc.uniqueArray(fc.record({ window: text, amount: integer() }), {
        selector: ({ window }) => window,
        maxLength: 3,
      }),
    }),
    open: openCharges,
    put: (store, { walletId, slot, now, charges }) => store.charge(walletId, slot, now, charges),
    get: (store, { walletId, slot, now, charges }) => {
      const { spent } = store.reads(walletId, `${slot}'`, now)
      return charges.map(({ window }) => ({ window, amount: spent(window, 1) }))
    },
    kept: ({ charges }) => charges,
  }),
  rows({
    name: 'entries of the audit log',
    file: 'host/wallet/vault/audit-log.ts',
    values: few(fc.record({ event, at: count() }), 2),
    open: openAudit,
    put: (database, entries) => {
      const log = new AuditLog(database, VAULT)
      for (const { event: one, at } of entries) log.append(one, at)
    },
    get: (database) => {
      // The end of the log is checked when it is opened.
      const log = new AuditLog(database, VAULT)
      const key = openAuditKey(database, VAULT)
      const found = database.prepare('SELECT event, at FROM audit ORDER BY number').all()
      return {
        number: log.head.number,
        faults: faultsOf(database, key),
        entries: found.map((row) => ({ event: JSON.parse(row.event as string), at: row.at })),
      }
    },
    kept: (entries) => ({ number: entries.length, faults: [], entries }),
  }),
]

/** Returns the faults of the log. The check has its own transaction. */
function faultsOf(database: DatabaseSync, key: Uint8Array): readonly string[] {
  database.exec('COMMIT')
  try {
    return verifyAudit(database, { key }).faults
  } finally {
    database.exec('DELETE FROM audit; DELETE FROM audit_head')
  }
}

const SERVICE_ROWS: readonly Codec[] = [
  rows({
    name: 'apps',
    file: 'host/wallet/service/app-store.ts',
    values: fc.record({
      name: nullable(text),
      createdAt: count(),
      rotatedAt: nullable(count()),
    }),
    open: openService,
    put: (database, { name: shown, createdAt, rotatedAt }) => {
      let now = createdAt
      const store = new AppStore(database, () => now)
      const { appId } = store.create(shown)
      if (rotatedAt === null) return
      now = rotatedAt
      store.rotate(appId)
    },
    get: (database) => {
      const [app] = new AppStore(database).list()
      const { id: _, ...read } = app as NonNullable<typeof app>
      return read
    },
  }),
  idempotency(),
  rows({
    name: 'webhooks',
    file: 'host/wallet/webhook/webhook-store.ts',
    values: webhook,
    open: openWebhooks,
    put: (store, value) => store.add(value),
    get: (store, { id }) => store.find(id),
  }),
  rows({
    name: 'events for webhooks and their deliveries',
    file: 'host/wallet/webhook/webhook-store.ts',
    values: fc.record({
      event_id: name,
      type: text,
      body: jsonTexts,
      created_at: count(),
      state: fc.constantFrom(...DELIVERY_STATES),
      attempts: count(),
      next_at: count(),
      problem: nullable(text),
    }),
    open: openWebhooks,
    put: (store, { event_id: id, state, attempts, next_at, problem, created_at, ...parts }) => {
      store.addEvent({ ...IDLE, ...parts, id, appId: WEBHOOK.app_id }, created_at)
      const [delivery] = store.deliveries({}, 1)
      if (delivery === undefined) throw new TypeError('no webhook has wanted the event')
      store.conclude(delivery, state, attempts, next_at, problem)
    },
    get: (store) => store.deliveries({}, 2),
    kept: (value) => [
      {
        ...value,
        webhook_id: WEBHOOK.id,
        app_id: WEBHOOK.app_id,
        problem: value.problem === null ? null : readable(value.problem),
      },
    ],
  }),
  rows({
    name: 'transactions of wallets',
    file: 'host/wallet/pipeline/transaction-store.ts',
    values: fc.record({
      id: name,
      app_id: name,
      wallet_id: name,
      caip2: name,
      address: dataHex(20),
      reference_id: nullable(text),
      created_at: count(),
      problem: text,
      fields: fc.record({ data: dataHex(8), nonce: count() }),
    }),
    open: openTransactions,
    put: (store, { id, app_id, wallet_id, reference_id, created_at, problem, ...parts }) => {
      const made = {
        ...parts,
        id,
        appId: app_id,
        walletId: wallet_id,
        referenceId: reference_id,
        sameness: undefined,
        now: created_at,
      }
      store.insert(made)
      store.setEnded(id, 'failed', problem)
    },
    get: (store, { id }) => {
      const row = store.require(id)
      const { app_id, wallet_id, caip2, address, reference_id, created_at, problem } = row
      return { id: row.id, app_id, wallet_id, caip2, address, reference_id, created_at, problem }
    },
    kept: ({ fields: _, ...row }) => ({ ...row, problem: readable(row.problem) }),
  }),
]

function idempotency(): Codec {
  let database: DatabaseSync | undefined
  const refuse = () => Promise.reject(new TypeError('it is done a second time'))
  return codec({
    name: 'answers by idempotency key',
    file: 'host/wallet/service/idempotency-store.ts',
    values: fc.record({
      request: fc.record({
        caller: name,
        key: text,
        method: fc.constant('POST'),
        path: text,
        body: text,
        signatures: few(text, 2),
      }),
      answer: fc.record({
        status: fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom(200, 201, 400, 422) },
          { weight: 1, arbitrary: fc.constantFrom(0.5, -1, -(2 ** 53)) },
        ),
        body: fc.oneof(jsonTexts, text),
      }),
      now: count(),
    }),
    encode: async ({ request, answer, now }) => {
      database ??= openServiceDatabase(MEMORY)
      database.exec('DELETE FROM idempotency')
      const store = new IdempotencyStore(database, new GroupCommit(database), () => now)
      await store.once(request, async () => answer, refuse)
      return { database, request, now }
    },
    decode: ({ database: written, request, now }) =>
      new IdempotencyStore(written, new GroupCommit(written), () => now).once(
        request,
        refuse,
        refuse,
      ),
    kept: ({ answer }) => answer,
    runs: 150,
  })
}

export const WALLET_CODECS: readonly Codec[] = [...SIGNER_CODECS, ...SERVICE_ROWS]
