import { type Command, InvalidArgumentError } from 'commander'
import type { Delivery, DeliveryCounts, StoredWebhook } from '../../wallet/webhook/webhook-store.ts'
import { addWebhookFlags, eventFilterOf, type WebhookFlags, withWebhooks } from './webhooks-of.ts'

interface ListFlags extends WebhookFlags {
  readonly limit: number
}

interface ListedWebhook {
  readonly id: string
  readonly app: string
  readonly url: string
  readonly events: readonly string[] | null
  readonly deliveries: DeliveryCounts
}

interface ListedDelivery {
  readonly event: string
  readonly type: string
  readonly webhook: string
  readonly state: string
  readonly attempts: number
  readonly time: string
  /** Time of the next attempt; null if there is none. */
  readonly next: string | null
  readonly problem: string | null
}

function parseLimit(text: string): number {
  if (!/^[0-9]{1,6}$/.test(text)) throw new InvalidArgumentError('write a number of up to 999999')
  return Number(text)
}

function listedWebhook(
  { id, app_id, url, events }: StoredWebhook,
  deliveries: DeliveryCounts,
): ListedWebhook {
  return { id, app: app_id, url, events: events === null ? null : JSON.parse(events), deliveries }
}

function listedDelivery(delivery: Delivery): ListedDelivery {
  const { event_id: event, type, webhook_id: webhook, state, attempts, problem } = delivery
  return {
    event,
    type,
    webhook,
    state,
    attempts,
    time: new Date(delivery.created_at).toISOString(),
    next: state === 'waiting' ? new Date(delivery.next_at).toISOString() : null,
    problem,
  }
}

function webhookLine({ id, app, url, events, deliveries }: ListedWebhook): string {
  const { waiting, delivered, dead } = deliveries
  const types = events === null ? 'all events' : events.join(',')
  return `${id}  ${app}  ${url}  ${types}  ${waiting} waiting, ${delivered} delivered, ${dead} dead\n`
}

function deliveryLine({
  event,
  type,
  time,
  state,
  attempts,
  problem,
  next,
}: ListedDelivery): string {
  const more = [problem, next === null ? null : `next ${next}`].filter((text) => text !== null)
  return `  ${event}  ${time}  ${type}  ${state} after ${attempts} attempts${more.map((text) => `; ${text}`).join('')}\n`
}

export function defineWebhooksList(command: Command): void {
  addWebhookFlags(command)
    .option('--limit <COUNT>', 'events to print, latest first', parseLimit, 20)
    .action((flags: ListFlags) => {
      const { webhooks, deliveries } = withWebhooks(flags.home, (store) => ({
        webhooks: store
          .webhooks()
          .filter(({ id }) => flags.webhook === undefined || id === flags.webhook)
          .map((webhook) => listedWebhook(webhook, store.counts(webhook.id))),
        deliveries: store.deliveries(eventFilterOf(flags), flags.limit).map(listedDelivery),
      }))
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify({ webhooks, deliveries })}\n`
          : [...webhooks.map(webhookLine), ...deliveries.map(deliveryLine)].join(''),
      )
    })
}
