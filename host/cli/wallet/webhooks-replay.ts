import type { Command } from 'commander'
import { addWebhookFlags, eventFilterOf, type WebhookFlags, withWebhooks } from './webhooks-of.ts'

export function defineWebhooksReplay(command: Command): void {
  addWebhookFlags(command).action((flags: WebhookFlags) => {
    // Without a filter, only dead events: nothing else delivers them.
    const isNamed =
      flags.event !== undefined || flags.state !== undefined || flags.since !== undefined
    const filter = isNamed
      ? eventFilterOf(flags)
      : { ...eventFilterOf(flags), state: 'dead' as const }
    const count = withWebhooks(flags.home, (store) => store.replay(filter, Date.now()))
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ replayed: count })}\n`
        : `${count} to be delivered again\n`,
    )
  })
}
