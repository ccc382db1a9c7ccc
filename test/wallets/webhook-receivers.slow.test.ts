import { createHmac } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GroupCommit } from '../../host/storage/store/sqlite/group-commit.ts'
import { openDatabase } from '../../host/storage/store/sqlite/sqlite.ts'
import { openWebhooks } from '../../host/wallet/webhook/open-webhooks.ts'
import { WebhookStore } from '../../host/wallet/webhook/webhook-store.ts'
import type { Webhooks } from '../../host/wallet/webhook/webhooks.ts'
import { startFakeServer } from '../support/fake-server.ts'
import { absentPeers, peer } from '../support/payments/peers.ts'
import { absentPython } from '../support/payments/python-clients.ts'
import { until } from '../support/until.ts'
import {
  type EventReceiver,
  type JudgedEvent,
  startPythonReceiver,
} from './service/python-receiver.ts'

/** Starts the same receiver with the npm package. */
async function startNodeReceiver(failing: readonly string[]): Promise<EventReceiver> {
  const { Webhook } = peer('standardwebhooks')
  const receiver = await startFakeServer()
  const judged: JudgedEvent[] = []
  const seen = new Set<string>()
  let known = ''
  receiver.answer = (response, { headers, body }) => {
    const id = String(headers['webhook-id'])
    try {
      const event = new Webhook(known).verify(body, headers) as NonNullable<JudgedEvent['event']>
      const status = failing.includes(event.type) && !seen.has(id) ? 500 : 204
      seen.add(id)
      judged.push({ id, event, status })
      response.writeHead(status).end()
    } catch (error) {
      judged.push({ id, error: `${error}` })
      response.writeHead(400).end()
    }
  }
  return {
    url: `${receiver.url}/`,
    judged,
    trust: (secret) => {
      known = secret
    },
    stop: () => receiver.close(),
  }
}

const RECEIVERS = [
  ['standardwebhooks 1.1.1 of npm', absentPeers('standardwebhooks'), startNodeReceiver],
  [
    'standardwebhooks 1.1.0 of Python',
    absentPython('standardwebhooks', '1.1.0'),
    startPythonReceiver,
  ],
] as const

describe.each(RECEIVERS)('the webhook receiver %s%s', (_, why, start) => {
  let database: DatabaseSync
  let webhooks: Webhooks
  let commits: GroupCommit
  let store: WebhookStore
  let receiver: EventReceiver
  /** Milliseconds by which the sender's clock is ahead, to skip its waits. Receivers tolerate minutes. */
  let ahead = 0

  beforeEach(async () => {
    if (why !== '') return
    ahead = 0
    database = openDatabase(':memory:')
    commits = new GroupCommit(database)
    store = new WebhookStore(database)
    webhooks = openWebhooks({
      database,
      commits,
      allowPrivate: true,
      now: () => Date.now() + ahead,
      random: () => 0,
      times: { pollMs: 5 },
    })
    receiver = await start(['transaction.failed'])
  })
  afterEach(async () => {
    if (why !== '') return
    await webhooks.close()
    database.close()
    await receiver.stop()
  })

  const tell = (type: string, number: number) =>
    commits.run(() => webhooks.put('app', { type, number, text: 'Zürich \u{1f40b}' }))

  test.skipIf(why !== '')('verifies events in the order in which they were sent', async () => {
    const { secret } = await webhooks.create('app', { url: receiver.url })
    receiver.trust(secret)
    for (let number = 1; number <= 20; number++) {
      await tell('transaction.confirmed', number)
      await until(() => receiver.judged.length === number)
    }
    expect(receiver.judged.map(({ event, error }) => event?.number ?? error)).toEqual(
      Array.from({ length: 20 }, (__, index) => index + 1),
    )
    expect(new Set(receiver.judged.map(({ id }) => id)).size).toBe(20)
    await until(() => store.counts(store.webhooks()[0]?.id ?? '').delivered === 20)
  })

  test.skipIf(why !== '')(
    'receives an event that it failed at again, with the same id and a new signature',
    async () => {
      const { secret } = await webhooks.create('app', { url: receiver.url })
      receiver.trust(secret)
      await tell('transaction.failed', 1)
      await until(() => receiver.judged.length === 1)
      await until(() => store.deliveries({}, 1)[0]?.attempts === 1)
      const [delivery] = store.deliveries({}, 1)
      // Other events do not wait for it.
      await tell('transaction.confirmed', 2)
      await until(() => receiver.judged.length === 2)
      expect(delivery?.state).toBe('waiting')
      ahead = 5_000
      await until(() => receiver.judged.length === 3)
      expect(receiver.judged.map(({ event, status }) => [event?.number, status])).toEqual([
        [1, 500],
        [2, 204],
        [1, 204],
      ])
      expect(receiver.judged[2]?.id).toBe(receiver.judged[0]?.id)
      await until(() => store.deliveries({}, 2).every(({ state }) => state === 'delivered'))
    },
  )

  test.skipIf(why !== '')(
    'refuses events that were signed with another secret or ten minutes ago',
    async () => {
      const { secret } = await webhooks.create('app', { url: receiver.url })
      receiver.trust(secret)
      const post = async (key: string, seconds: number, body: string, signed = body) => {
        const bytes = Buffer.from(key.replace('whsec_', ''), 'base64')
        const mac = createHmac('sha256', bytes).update(`msg_1.${seconds}.${signed}`)
        const headers = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': `${seconds}`,
          'webhook-signature': `v1,${mac.digest('base64')}`,
        }
        return (await fetch(receiver.url, { method: 'POST', headers, body })).status
      }
      const now = Math.floor(Date.now() / 1_000)
      const body = JSON.stringify({ type: 'transaction.confirmed', number: 1 })
      const strange = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      expect(await post(secret, now, body)).toBe(204)
      expect(await post(strange, now, body)).toBe(400)
      expect(await post(secret, now, body, body.replace('1', '2'))).toBe(400)
      expect(await post(secret, now - 600, body)).toBe(400)
    },
  )

  test.skipIf(why !== '')(
    'accepts events signed with the previous secret for a day after its rotation',
    async () => {
      const { secret, id } = await webhooks.create('app', { url: receiver.url })
      receiver.trust(secret)
      await webhooks.rotate('app', id)
      await tell('transaction.created', 1)
      await until(() => receiver.judged.length === 1)
      expect(receiver.judged[0]).toMatchObject({ event: { number: 1 }, status: 204 })
    },
  )
})
