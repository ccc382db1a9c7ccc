import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../base/duration.ts'
import {
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
  WebhookStore,
} from '../../wallet/webhook/webhook-store.ts'
import { homeOption } from '../option/home-option.ts'
import { withServiceDatabase } from './apps-of.ts'

/** Flags that filter events and choose a home. */
export interface WebhookFlags {
  readonly home?: string
  readonly webhook?: string
  readonly event?: string
  readonly state?: DeliveryState
  readonly since?: number
  readonly json?: true
}

function parseSince(text: string): number {
  const age = parseDuration(text)
  if (age === undefined) throw new InvalidArgumentError('write a duration, such as 72h')
  return age
}

export function addWebhookFlags(command: Command): Command {
  return command
    .option('--webhook <ID>', 'only events of this webhook')
    .option('--event <ID>', 'one event, by the id in its headers')
    .addOption(new Option('--state <STATE>', 'only events in this state').choices(DELIVERY_STATES))
    .option('--since <DURATION>', 'only events of this recent time, such as 72h', parseSince)
    .option('--json', 'print JSON')
    .addOption(homeOption())
}

export function eventFilterOf({ webhook, event, state, since }: WebhookFlags): DeliveryFilter {
  return { webhook, event, state, since: since === undefined ? undefined : Date.now() - since }
}

/** Runs `work` with the webhooks of a home, also while its node runs. */
export function withWebhooks<T>(flag: string | undefined, work: (store: WebhookStore) => T): T {
  return withServiceDatabase(flag, (database) => work(new WebhookStore(database)))
}
