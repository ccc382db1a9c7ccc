import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GroupCommit } from '../../../../host/storage/store/sqlite/group-commit.ts'
import { openServiceDatabase } from '../../../../host/wallet/service/service-database.ts'
import { openWebhooks } from '../../../../host/wallet/webhook/open-webhooks.ts'
import type { Webhooks } from '../../../../host/wallet/webhook/webhooks.ts'
import { type FakeServer, startFakeServer } from '../../../support/fake-server.ts'
import { makeHome, removeHome, runCommand } from '../../../support/node/daemon.ts'
import { until } from '../../../support/until.ts'

/** The API of a running node, which is this process. */
const home = makeHome()
let database: DatabaseSync
let webhooks: Webhooks
let receiver: FakeServer
/** Unique ids of the events. */
const eventIds = () => new Set(receiver.received.map(({ headers }) => String(headers['svix-id'])))
let id: string

beforeAll(async () => {
  await runCommand(['init', '--chain-id', '1329', '--home', home])
  const folder = join(home, 'wallets', 'service')
  mkdirSync(folder, { recursive: true })
  database = openServiceDatabase(join(folder, 'service.db'))
  const commits = new GroupCommit(database)
  webhooks = openWebhooks({
    database,
    commits,
    allowPrivate: true,
    times: { pollMs: 20, backoff: [0] },
  })
  receiver = await startFakeServer()
  receiver.answer = (response) => response.writeHead(503).end()
  ;({ id } = await webhooks.create('shop', { url: `${receiver.url}/` }))
  await commits.run(() => webhooks.put('shop', { type: 'transaction.failed' }))
})
afterAll(async () => {
  await webhooks.close()
  database.close()
  await receiver.close()
  removeHome(home)
})

const run = (...words: string[]) => runCommand(['wallet', 'webhooks', ...words, '--home', home])

describe('lockstep wallet webhooks', () => {
  test('list shows the dead deliveries of a running node with their reasons, and no secret', async () => {
    await until(() => receiver.received.length === 2)
    const event = [...eventIds()][0]
    const { code, stdout } = await run('list', '--json', '--state', 'dead')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      webhooks: [
        {
          id,
          app: 'shop',
          url: `${receiver.url}/`,
          events: null,
          deliveries: { waiting: 0, delivered: 0, dead: 1 },
        },
      ],
      deliveries: [
        {
          event,
          type: 'transaction.failed',
          webhook: id,
          state: 'dead',
          attempts: 2,
          time: expect.stringMatching(/^20.*Z$/),
          next: null,
          problem: 'HTTP 503',
        },
      ],
    })
    expect((await run('list')).stdout).toContain('dead after 2 attempts; HTTP 503\n')
    expect(stdout).not.toContain('whsec_')
  })

  test('replay makes a running node deliver dead events with their original ids', async () => {
    receiver.answer = (response) => response.end()
    expect((await run('replay', '--webhook', 'other')).stdout).toBe('0 to be delivered again\n')
    expect((await run('replay', '--json')).stdout).toBe('{"replayed":1}\n')
    await until(() => receiver.received.length === 3)
    expect(eventIds().size).toBe(1)
    expect((await run('replay')).stdout).toBe('0 to be delivered again\n')
    expect((await run('replay', '--since', '1h')).stdout).toBe('1 to be delivered again\n')
    await until(() => receiver.received.length === 4)
  })

  test('replay refuses an invalid time', async () => {
    const { code, stderr } = await run('replay', '--since', 'yesterday')
    expect(code).toBe(64)
    expect(stderr).toContain('write a duration, such as 72h')
  })
})
