import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { WEBHOOK_TIMES, WebhookDispatcher, type WebhookTimes } from './webhook-dispatcher.ts'
import { WebhookStore } from './webhook-store.ts'
import { type ResolveName, resolveByDns, resolveByMachine } from './webhook-target.ts'
import { Webhooks } from './webhooks.ts'

export interface WebhooksOptions {
  /** The service's database. Webhooks have their own tables in it. */
  readonly database: DatabaseSync
  /** The same as for the pipeline. */
  readonly commits: GroupCommit
  /** Allows loopback and private addresses, and plain HTTP. */
  readonly allowPrivate: boolean
  readonly onTrouble?: (error: unknown) => void
  readonly resolve?: ResolveName
  readonly times?: Partial<WebhookTimes>
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly makeId?: () => string
  readonly random?: () => number
}

/** Opens the webhooks and resumes pending deliveries. */
export function openWebhooks({
  database,
  commits,
  allowPrivate,
  onTrouble = () => {},
  resolve = allowPrivate ? resolveByMachine : resolveByDns,
  times = {},
  now = Date.now,
  makeId = randomUUID,
  random = Math.random,
}: WebhooksOptions): Webhooks {
  const store = new WebhookStore(database)
  const dispatcher = new WebhookDispatcher({
    store,
    commits,
    allowPrivate,
    resolve,
    times: { ...WEBHOOK_TIMES, ...times },
    now,
    random,
    onTrouble,
  })
  return new Webhooks({ store, commits, dispatcher, allowPrivate, makeId, now })
}
