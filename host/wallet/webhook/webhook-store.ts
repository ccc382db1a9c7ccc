import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { migrate } from '../../storage/store/sqlite/migrate.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { storableText } from '../../storage/store/sqlite/storable.ts'

const MIGRATIONS: readonly string[] = [
  `CREATE TABLE webhooks (
     id TEXT PRIMARY KEY,
     app_id TEXT NOT NULL,
     url TEXT NOT NULL,
     -- JSON array of types; NULL is all
     events TEXT,
     -- JSON array of WebhookSecret, the newest first
     secrets TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX webhooks_app ON webhooks (app_id, created_at, id);
   CREATE TABLE webhook_events (
     id TEXT PRIMARY KEY,
     app_id TEXT NOT NULL,
     type TEXT NOT NULL,
     body TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX webhook_events_time ON webhook_events (created_at);
   CREATE TABLE deliveries (
     event_id TEXT NOT NULL REFERENCES webhook_events (id) ON DELETE CASCADE,
     webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
     -- waiting, delivered, dead
     state TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     next_at INTEGER NOT NULL,
     problem TEXT,
     PRIMARY KEY (event_id, webhook_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at) WHERE state = 'waiting';
   CREATE INDEX deliveries_webhook ON deliveries (webhook_id, state);`,
]

export const DELIVERY_STATES = ['waiting', 'delivered', 'dead'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface WebhookSecret {
  /** `whsec_` followed by base64. */
  readonly secret: string
  /** Milliseconds since 1970 until which a rotated secret is valid. Null for the current one. */
  readonly until: number | null
}

export interface StoredWebhook {
  readonly id: string
  readonly app_id: string
  readonly url: string
  readonly events: string | null
  readonly secrets: string
  readonly created_at: number
}

/** An event to deliver to a webhook. */
export interface Delivery {
  readonly event_id: string
  readonly webhook_id: string
  readonly app_id: string
  readonly type: string
  readonly body: string
  readonly state: DeliveryState
  readonly attempts: number
  /** Milliseconds since 1970. */
  readonly next_at: number
  readonly problem: string | null
  readonly created_at: number
}

export interface DeliveryCounts {
  readonly waiting: number
  readonly delivered: number
  readonly dead: number
}

/** Selects deliveries. Omitted members match any. */
export interface DeliveryFilter {
  readonly webhook?: string | undefined
  readonly event?: string | undefined
  readonly state?: DeliveryState | undefined
  /** Creation time of the event in milliseconds since 1970. */
  readonly since?: number | undefined
}

const DELIVERY = `SELECT d.event_id, d.webhook_id, e.app_id, e.type, e.body, d.state, d.attempts, d.next_at, d.problem,
  e.created_at FROM deliveries d JOIN webhook_events e ON e.id = d.event_id`

const MATCHES = `(?1 IS NULL OR webhook_id = ?1) AND (?2 IS NULL OR event_id = ?2) AND (?3 IS NULL OR state = ?3)
  AND event_id IN (SELECT id FROM webhook_events WHERE created_at >= ?4)`

/** Webhooks, events and deliveries in the service's database. */
export class WebhookStore {
  readonly #sql: Statements

  constructor(database: DatabaseSync) {
    this.#sql = new Statements(database)
    migrate(database, 'webhooks', MIGRATIONS)
  }

  add({ id, app_id, url, events, secrets, created_at }: StoredWebhook): void {
    this.#sql.run(
      'INSERT INTO webhooks VALUES (?, ?, ?, ?, ?, ?)',
      id,
      app_id,
      url,
      events,
      secrets,
      created_at,
    )
  }

  change({ id, url, events, secrets }: StoredWebhook): void {
    this.#sql.run(
      'UPDATE webhooks SET url = ?, events = ?, secrets = ? WHERE id = ?',
      url,
      events,
      secrets,
      id,
    )
  }

  /** Deletes a webhook and its deliveries. */
  remove(id: string): void {
    this.#sql.run('DELETE FROM webhooks WHERE id = ?', id)
  }

  find(id: string): StoredWebhook | undefined {
    return this.#sql.all<StoredWebhook>('SELECT * FROM webhooks WHERE id = ?', id)[0]
  }

  count(appId: string): number {
    return (
      this.#sql.all<{ count: number }>(
        'SELECT count(*) AS count FROM webhooks WHERE app_id = ?',
        appId,
      )[0]?.count ?? 0
    )
  }

  /** Returns webhooks, oldest first. Null for all apps. */
  webhooks(appId: string | null = null): StoredWebhook[] {
    return this.#sql.all(
      'SELECT * FROM webhooks WHERE ?1 IS NULL OR app_id = ?1 ORDER BY created_at, id',
      appId,
    )
  }

  /** Stores an event for each webhook of the app that subscribes to it. Drops it if there is none. */
  addEvent(
    event: {
      readonly id: string
      readonly appId: string
      readonly type: string
      readonly body: string
    },
    now: number,
  ): boolean {
    const wanting = this.webhooks(event.appId).filter(
      ({ events }) => events === null || (JSON.parse(events) as string[]).includes(event.type),
    )
    if (wanting.length === 0) return false
    this.#sql.run(
      'INSERT INTO webhook_events VALUES (?, ?, ?, ?, ?)',
      event.id,
      event.appId,
      event.type,
      event.body,
      now,
    )
    for (const { id } of wanting) {
      this.#sql.run(
        `INSERT INTO deliveries (event_id, webhook_id, state, next_at) VALUES (?, ?, 'waiting', ?)`,
        event.id,
        id,
        now,
      )
    }
    return true
  }

  /** Returns the webhooks that have due deliveries. */
  due(now: number): string[] {
    const rows = this.#sql.all<{ id: string }>(
      `SELECT id FROM webhooks w WHERE EXISTS (SELECT 1 FROM deliveries
         WHERE webhook_id = w.id AND state = 'waiting' AND next_at <= ?)`,
      now,
    )
    return rows.map(({ id }) => id)
  }

  /** Returns the due deliveries of a webhook. Deliveries due at the same instant are in order of insertion. */
  dueOf(webhookId: string, now: number, limit: number): Delivery[] {
    return this.#sql.all(
      `${DELIVERY} WHERE d.webhook_id = ? AND d.state = 'waiting' AND d.next_at <= ? ORDER BY d.next_at, e.rowid LIMIT ?`,
      webhookId,
      now,
      limit,
    )
  }

  conclude(
    { event_id, webhook_id }: Delivery,
    state: DeliveryState,
    attempts: number,
    nextAt: number,
    problem: string | null,
  ): void {
    this.#sql.run(
      'UPDATE deliveries SET state = ?, attempts = ?, next_at = ?, problem = ? WHERE event_id = ? AND webhook_id = ?',
      state,
      attempts,
      nextAt,
      problem === null ? null : storableText(problem),
      event_id,
      webhook_id,
    )
  }

  counts(webhookId: string): DeliveryCounts {
    const rows = this.#sql.all<{ state: DeliveryState; count: number }>(
      'SELECT state, count(*) AS count FROM deliveries WHERE webhook_id = ? GROUP BY state',
      webhookId,
    )
    const counts = { waiting: 0, delivered: 0, dead: 0 }
    for (const { state, count } of rows) counts[state] = count
    return counts
  }

  /** Latest first. */
  deliveries(filter: DeliveryFilter, limit: number): Delivery[] {
    return this.#sql.all(
      `${DELIVERY} WHERE ${MATCHES.replaceAll(' state', ' d.state')} ORDER BY e.created_at DESC, d.event_id LIMIT ?5`,
      ...valuesOf(filter),
      limit,
    )
  }

  /** Restarts deliveries from the first attempt. @returns how many */
  replay(filter: DeliveryFilter, now: number): number {
    return this.#sql.run(
      `UPDATE deliveries SET state = 'waiting', attempts = 0, next_at = ?5, problem = NULL WHERE ${MATCHES}`,
      ...valuesOf(filter),
      now,
    )
  }

  /** Deletes events whose deliveries have all ended. */
  forget(createdBefore: number): void {
    this.#sql.run(
      `DELETE FROM webhook_events WHERE created_at < ?
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = id AND state = 'waiting')`,
      createdBefore,
    )
  }
}

function valuesOf({ webhook, event, state, since }: DeliveryFilter): SQLInputValue[] {
  return [webhook ?? null, event ?? null, state ?? null, since ?? 0]
}
