import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Dispatcher } from '../../../../../host/api/rpc/protocol/dispatcher.ts'
import { rpcWebSocketHandler } from '../../../../../host/api/rpc/protocol/web-socket-handler.ts'
import { Origins } from '../../../../../host/api/server/origins.ts'
import type { WebSocketPeer } from '../../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'

const LONG = 'x'.repeat(300_000)

/** A WebSocket whose client reads on demand, with the calls executed for it. */
function connect(answerOf: () => string | Promise<string>) {
  const work = new WorkScheduler(1 << 28)
  const readers: (() => void)[] = []
  let asked = 0
  const peer = {
    remoteAddress: '192.0.2.1',
    signal: new AbortController().signal,
    account: work.account('192.0.2.1'),
    canStream: true,
    send: () => undefined,
    stream: () => Promise.resolve(),
    whenRead: () => new Promise<void>((resolve) => readers.push(resolve)),
    close: () => undefined,
  } satisfies WebSocketPeer
  const dispatcher = {
    answer: () => {
      asked++
      return answerOf()
    },
  } as unknown as Dispatcher
  const handler = rpcWebSocketHandler({
    dispatcher,
    subscriptions: { drop: () => undefined } as never,
    origins: new Origins(['*']),
  })
  handler.onOpen(peer)
  return {
    ask: () => handler.onMessage(peer, Buffer.from('{}')),
    asked: () => asked,
    read: async () => {
      for (const reader of readers.splice(0)) reader()
      await nextTurn()
    },
    held: () => work.load.reservedBytes,
    leave: () => handler.onClose(peer),
  }
}

test.each([
  ['at once', () => LONG],
  ['later', async () => LONG],
])('a client that does not read answers %s gets no further work done', async (_, answer) => {
  const client = connect(answer)
  client.ask()
  await nextTurn()
  for (let i = 0; i < 5; i++) client.ask()
  await nextTurn()
  expect(client.asked()).toBe(1)
  expect(client.held()).toBeGreaterThan(0)
  await client.read()
  expect(client.asked()).toBeGreaterThan(1)
  for (let i = 0; i < 5; i++) await client.read()
  expect(client.asked()).toBe(6)
  expect(client.held()).toBe(0)
})

test('short answers are not paced', async () => {
  const client = connect(() => 'short')
  for (let i = 0; i < 1000; i++) client.ask()
  expect(client.asked()).toBe(1000)
  client.leave()
})
