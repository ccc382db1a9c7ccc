import { randomBytes } from 'node:crypto'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { OutboxEvent, WebhookOutbox } from './outbox.ts'
import type { WebhookDispatcher } from './webhook-dispatcher.ts'
import type { StoredWebhook, WebhookSecret, WebhookStore } from './webhook-store.ts'
import { checkTarget } from './webhook-target.ts'

/** Event types, as managed wallets name them. */
export const WEBHOOK_EVENTS = [
  'transaction.created',
  'transaction.broadcasted',
  'transaction.confirmed',
  'transaction.execution_reverted',
  'transaction.failed',
  'transaction.replaced',
  'transaction.still_pending',
  'transaction.provider_error',
  'wallet.private_key_export',
  'wallet.archived',
  'wallet.restored',
] as const

/** How long a rotated secret signs in addition to the new one. */
const OVERLAP_MS = 24 * 60 * 60_000

const MAX_WEBHOOKS = 50

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32

/** A webhook as the API shows it. */
export interface ApiWebhook {
  readonly id: string
  readonly url: string
  /** Null for all types. */
  readonly events: readonly string[] | null
  readonly created_at: number
}

export interface WebhookInput {
  readonly url?: string | undefined
  readonly events?: readonly string[] | null | undefined
}

/** The webhooks of apps, and their outbox. */
export class Webhooks implements WebhookOutbox {
  readonly #store: WebhookStore
  readonly #commits: GroupCommit
  readonly #dispatcher: WebhookDispatcher
  readonly #allowPrivate: boolean
  readonly #makeId: () => string
  readonly #now: () => number

  constructor(options: {
    readonly store: WebhookStore
    readonly commits: GroupCommit
    readonly dispatcher: WebhookDispatcher
    readonly allowPrivate: boolean
    readonly makeId: () => string
    readonly now: () => number
  }) {
    this.#store = options.store
    this.#commits = options.commits
    this.#dispatcher = options.dispatcher
    this.#allowPrivate = options.allowPrivate
    this.#makeId = options.makeId
    this.#now = options.now
  }

  put(appId: string, event: OutboxEvent): void {
    const { type } = event
    const id = `msg_${this.#makeId()}`
    if (this.#store.addEvent({ id, appId, type, body: JSON.stringify(event) }, this.#now())) {
      this.#dispatcher.wake()
    }
  }

  /** Creates a webhook. Only this call returns the secret. @throws WalletError invalid_data */
  create(
    appId: string,
    { url, events }: WebhookInput,
  ): Promise<ApiWebhook & { readonly secret: string }> {
    const secret = makeSecret()
    const row: StoredWebhook = {
      id: this.#makeId(),
      app_id: appId,
      url: checkTarget(url ?? '', this.#allowPrivate).href,
      events: eventsText(events),
      secrets: JSON.stringify([{ secret, until: null } satisfies WebhookSecret]),
      created_at: this.#now(),
    }
    return this.#commits.run(() => {
      if (this.#store.count(appId) >= MAX_WEBHOOKS) {
        throw new WalletError(
          'invalid_data',
          `an app has at most ${MAX_WEBHOOKS} webhooks: delete one`,
        )
      }
      this.#store.add(row)
      return { ...shown(row), secret }
    })
  }

  list(appId: string): readonly ApiWebhook[] {
    return this.#store.webhooks(appId).map(shown)
  }

  /** @throws WalletError not_found */
  find(appId: string, id: string): ApiWebhook {
    return shown(this.#require(appId, id))
  }

  /** @throws WalletError not_found, invalid_data */
  update(appId: string, id: string, { url, events }: WebhookInput): Promise<ApiWebhook> {
    return this.#change(appId, id, (row) => ({
      ...row,
      url: url === undefined ? row.url : checkTarget(url, this.#allowPrivate).href,
      events: events === undefined ? row.events : eventsText(events),
    }))
  }

  /** Replaces the secret. The previous one also signs for a day. @throws WalletError not_found */
  async rotate(appId: string, id: string): Promise<ApiWebhook & { readonly secret: string }> {
    const secret = makeSecret()
    const changed = await this.#change(appId, id, (row) => {
      const until = this.#now() + OVERLAP_MS
      const before = (JSON.parse(row.secrets) as WebhookSecret[]).filter(
        (one) => one.until === null,
      )
      const secrets = [{ secret, until: null }, ...before.map((one) => ({ ...one, until }))]
      return { ...row, secrets: JSON.stringify(secrets) }
    })
    return { ...changed, secret }
  }

  /** @throws WalletError not_found */
  remove(appId: string, id: string): Promise<void> {
    return this.#commits.run(() => this.#store.remove(this.#require(appId, id).id))
  }

  close(): Promise<void> {
    return this.#dispatcher.close()
  }

  #change(
    appId: string,
    id: string,
    change: (row: StoredWebhook) => StoredWebhook,
  ): Promise<ApiWebhook> {
    return this.#commits.run(() => {
      const changed = change(this.#require(appId, id))
      this.#store.change(changed)
      return shown(changed)
    })
  }

  #require(appId: string, id: string): StoredWebhook {
    const row = this.#store.find(id)
    if (row === undefined || row.app_id !== appId)
      throw new WalletError('not_found', `there is no webhook ${id}`)
    return row
  }
}

function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

function eventsText(events: readonly string[] | null | undefined): string | null {
  if (events === undefined || events === null) return null
  const unknown = events.find((type) => !(WEBHOOK_EVENTS as readonly string[]).includes(type))
  if (unknown !== undefined) {
    throw new WalletError(
      'invalid_data',
      `events: ${unknown} is not an event type: pass some of ${WEBHOOK_EVENTS.join(', ')}`,
    )
  }
  return JSON.stringify([...new Set(events)])
}

function shown({ id, url, events, created_at }: StoredWebhook): ApiWebhook {
  return { id, url, events: events === null ? null : JSON.parse(events), created_at }
}
