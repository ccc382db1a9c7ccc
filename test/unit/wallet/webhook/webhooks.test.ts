import type { DatabaseSync } from 'node:sqlite'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GroupCommit } from '../../../../host/storage/store/sqlite/group-commit.ts'
import { openDatabase } from '../../../../host/storage/store/sqlite/sqlite.ts'
import {
  openWebhooks,
  type WebhooksOptions,
} from '../../../../host/wallet/webhook/open-webhooks.ts'
import { WebhookStore } from '../../../../host/wallet/webhook/webhook-store.ts'
import type { Webhooks } from '../../../../host/wallet/webhook/webhooks.ts'
import { type FakeServer, startFakeServer } from '../../../support/fake-server.ts'
import { until } from '../../../support/until.ts'

let database: DatabaseSync
let commits: GroupCommit
let store: WebhookStore
let webhooks: Webhooks
let receiver: FakeServer
/** Unique ids of the events. */
const eventIds = () => new Set(receiver.received.map(({ headers }) => headers['svix-id']))
let time: number

function open(options: Partial<WebhooksOptions> = {}): Webhooks {
  return openWebhooks({
    database,
    commits,
    allowPrivate: true,
    now: () => time,
    random: () => 0,
    ...options,
    times: { pollMs: 5, ...options.times },
  })
}

beforeEach(async () => {
  time = 1_700_000_000_000
  database = openDatabase(':memory:')
  commits = new GroupCommit(database)
  store = new WebhookStore(database)
  receiver = await startFakeServer()
  webhooks = open()
})

afterEach(async () => {
  await webhooks.close()
  database.close()
  await receiver.close()
})

const tell = (type: string, more = {}, appId = 'app') =>
  commits.run(() => webhooks.put(appId, { type, ...more }))

const deliveries = () => store.deliveries({}, 1_000)

const error = (code: string) => expect.objectContaining({ code })

test('webhooks deliver flat JSON, signed under both header families', async () => {
  const { secret, id } = await webhooks.create('app', { url: `${receiver.url}/` })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  await tell('transaction.confirmed', { wallet_id: 'w' })
  await until(() => deliveries()[0]?.state === 'delivered')
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
  expect(JSON.parse(body)).toEqual({ type: 'transaction.confirmed', wallet_id: 'w' })
  expect(headers['content-type']).toBe('application/json')
  expect(headers['svix-timestamp']).toBe('1700000000')
  for (const name of ['id', 'timestamp', 'signature']) {
    expect(headers[`webhook-${name}`]).toBe(headers[`svix-${name}`])
  }
  expect(headers['svix-signature']).toBe(
    new Webhook(secret).sign(String(headers['svix-id']), new Date(time), body),
  )
  expect(JSON.stringify(webhooks.find('app', id))).not.toContain('whsec_')
})

test('webhooks notify an app of its own events, and of the types that it selected', async () => {
  await webhooks.create('app', { url: `${receiver.url}/some`, events: ['transaction.failed'] })
  await webhooks.create('other', { url: `${receiver.url}/other` })
  await tell('transaction.confirmed')
  await tell('transaction.failed')
  await tell('transaction.confirmed', {}, 'nobody')
  await tell('transaction.created', {}, 'other')
  await until(() => receiver.received.length === 2)
  expect(receiver.received.map(({ path, body }) => [path, JSON.parse(body).type]).sort()).toEqual([
    ['/other', 'transaction.created'],
    ['/some', 'transaction.failed'],
  ])
  expect(deliveries()).toHaveLength(2)
})

test('webhooks start events of one instant in their order', async () => {
  const { id } = await webhooks.create('app', { url: 'http://127.0.0.1:9/' })
  const numbers = Array.from({ length: 50 }, (_, number) => number)
  await commits.run(() => {
    for (const number of numbers) webhooks.put('app', { type: 'transaction.created', number })
  })
  const due = store.dueOf(id, time, 100)
  expect(due.map(({ body }) => JSON.parse(body).number)).toEqual(numbers)
})

test('webhooks store an event and its change together, or neither', async () => {
  await webhooks.create('app', { url: `${receiver.url}/` })
  const failed = commits.run(() => {
    webhooks.put('app', { type: 'transaction.failed' })
    throw new Error('the change failed')
  })
  await expect(failed).rejects.toThrow('the change failed')
  await tell('transaction.created')
  await until(() => receiver.received.length === 1)
  expect(deliveries().map(({ type }) => type)).toEqual(['transaction.created'])
})

test('webhooks retry after increasing delays over three days, with the same id, and then mark the event dead', async () => {
  receiver.answer = (response) => response.writeHead(500).end()
  await webhooks.create('app', { url: `${receiver.url}/` })
  await tell('transaction.created')
  const waits: number[] = []
  for (let attempts = 1; attempts <= 10; attempts++) {
    await until(() => deliveries()[0]?.attempts === attempts)
    const [delivery] = deliveries()
    if (delivery?.state !== 'waiting') break
    waits.push((delivery.next_at - time) / 1_000)
    time = delivery.next_at
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
  expect(deliveries()[0]).toMatchObject({ state: 'dead', attempts: 10, problem: 'HTTP 500' })
  expect(receiver.received).toHaveLength(10)
  expect(eventIds().size).toBe(1)

  receiver.answer = (response) => response.end()
  expect(store.replay({ state: 'dead' }, time)).toBe(1)
  await until(() => deliveries()[0]?.state === 'delivered')
  expect(eventIds().size).toBe(1)
})

test('webhooks do not follow redirects', async () => {
  receiver.answer = (response, { path }) =>
    path === '/' ? response.writeHead(302, { location: '/inner' }).end() : response.end()
  await webhooks.create('app', { url: `${receiver.url}/` })
  await tell('transaction.created')
  await until(() => deliveries()[0]?.attempts === 1)
  expect(deliveries()[0]?.problem).toBe('HTTP 302: redirects are not followed')
  expect(receiver.received.map(({ path }) => path)).toEqual(['/'])
})

test('webhooks abort a request that takes too long or has an endless response', async () => {
  await webhooks.close()
  webhooks = open({ times: { timeoutMs: 100 } })
  receiver.answer = () => {}
  await webhooks.create('app', { url: `${receiver.url}/` })
  await tell('transaction.created')
  await until(() => deliveries()[0]?.attempts === 1)
  expect(deliveries()[0]?.problem).toBe('no response in time')
  // The second attempt has as much time as it takes.
  await webhooks.close()
  webhooks = open()
  receiver.answer = (response) => {
    const more = () => response.writable && response.write('x'.repeat(65_536), more)
    more()
  }
  time += 10_000
  await until(() => deliveries()[0]?.state === 'delivered')
})

test('webhooks let no slow receiver delay another', async () => {
  const slow = await startFakeServer()
  slow.answer = () => {}
  await webhooks.create('app', { url: slow.url })
  await webhooks.create('app', { url: `${receiver.url}/` })
  for (let i = 0; i < 30; i++) await tell('transaction.created', { i })
  await until(() => eventIds().size === 30)
  await until(() => slow.received.length === 4)
  const inState = (wanted: string) => deliveries().filter(({ state }) => state === wanted).length
  await until(() => inState('delivered') === 30)
  expect(inState('waiting')).toBe(30)
  await slow.close()
})

test('webhooks also sign with the previous secret for a day after a rotation', async () => {
  const { id, secret: old } = await webhooks.create('app', { url: `${receiver.url}/` })
  const { secret } = await webhooks.rotate('app', id)
  const signaturesAt = async () => {
    const count = receiver.received.length
    await tell('transaction.created')
    await until(() => receiver.received.length > count)
    const { headers, body } = receiver.received.at(-1) as (typeof receiver.received)[0]
    const made = (one: string) =>
      new Webhook(one).sign(String(headers['svix-id']), new Date(time), body)
    return { sent: headers['svix-signature'], fresh: made(secret), past: made(old) }
  }
  const both = await signaturesAt()
  expect(both.sent).toBe(`${both.fresh} ${both.past}`)
  time += 24 * 3_600_000
  const one = await signaturesAt()
  expect(one.sent).toBe(one.fresh)
})

test('webhooks connect to the address that was checked, whatever the name resolves to later', async () => {
  await webhooks.close()
  let count = 0
  const resolve = async () => {
    count++
    return [{ address: count === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 as const }]
  }
  webhooks = open({ resolve })
  await webhooks.create('app', { url: `http://hooks.example:${receiver.port}/x` })
  await tell('transaction.created')
  await until(() => deliveries()[0]?.state === 'delivered')
  expect(count).toBe(1)
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${receiver.port}`)
})

test('webhooks do not connect to a private address to which a public name resolves', async () => {
  await webhooks.close()
  const resolve = async () => [
    { address: '93.184.216.34', family: 4 as const },
    { address: '127.0.0.1', family: 4 as const },
  ]
  webhooks = open({ allowPrivate: false, resolve })
  await webhooks.create('app', { url: `https://hooks.example:${receiver.port}/x` })
  await tell('transaction.created')
  await until(() => deliveries()[0]?.attempts === 1)
  expect(deliveries()[0]?.problem).toBe('hooks.example resolves to the private address 127.0.0.1')
  expect(receiver.received).toEqual([])
})

test('webhooks resume the deliveries of an earlier process', async () => {
  receiver.answer = (response) => response.destroy()
  await webhooks.create('app', { url: `${receiver.url}/` })
  await tell('transaction.created')
  await until(() => deliveries()[0]?.attempts === 1)
  await webhooks.close()
  receiver.answer = (response) => response.end()
  time += 6_000
  webhooks = open()
  await until(() => deliveries()[0]?.state === 'delivered')
  expect(eventIds().size).toBe(1)
})

test('webhooks delete finished events after a month', async () => {
  await webhooks.create('app', { url: `${receiver.url}/` })
  await tell('transaction.created')
  await until(() => deliveries()[0]?.state === 'delivered')
  time += 31 * 24 * 3_600_000
  await until(() => deliveries().length === 0)
})

test('webhooks can only be changed, listed and deleted by their own app', async () => {
  const { id, secret: _, ...made } = await webhooks.create('app', { url: `${receiver.url}/` })
  expect(made).toEqual({ url: `${receiver.url}/`, events: null, created_at: time })
  expect(await webhooks.update('app', id, { events: ['transaction.failed'] })).toEqual({
    id,
    ...made,
    events: ['transaction.failed'],
  })
  expect(webhooks.list('app').map((one) => one.id)).toEqual([id])
  expect(webhooks.list('other')).toEqual([])
  expect(() => webhooks.find('other', id)).toThrow(`there is no webhook ${id}`)
  for (const foreign of [
    webhooks.update('other', id, {}),
    webhooks.rotate('other', id),
    webhooks.remove('other', id),
  ]) {
    await expect(foreign).rejects.toEqual(error('not_found'))
  }
  await webhooks.remove('app', id)
  expect(webhooks.list('app')).toEqual([])
  expect(() => webhooks.create('app', { url: `${receiver.url}/`, events: ['nonsense'] })).toThrow(
    'events: nonsense is not an event type: pass some of transaction.created',
  )
})

test('webhooks of an app are limited to fifty', async () => {
  const make = () => webhooks.create('app', { url: `${receiver.url}/` })
  await Promise.all(Array.from({ length: 50 }, make))
  await expect(make()).rejects.toEqual(error('invalid_data'))
})
