import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../../../../support/until.ts'
import { FakeComet } from './fake-comet.ts'
import { openProxy, type ProxyServer } from './proxy-server.ts'

const NEW_BLOCK = "tm.event='NewBlock'"

interface Message {
  readonly id: unknown
  readonly result?: { readonly query?: string; readonly data?: { readonly value: object } }
  readonly error?: { readonly code: number; readonly data: string }
}

/** A WebSocket client with all messages that it received. */
class Client {
  readonly messages: Message[] = []
  readonly socket: WebSocket

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data)) as Message))
  }

  /** Returns the answer to a request. Its id is used by no event. */
  async ask(id: unknown, method: string, query?: string): Promise<Message> {
    const before = this.messages.length
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: { query } }))
    await until(() => this.messages.slice(before).some((message) => message.id === id))
    return this.messages.slice(before).find((message) => message.id === id) as Message
  }

  /** Returns the values of the events so far that carry this id. */
  events(id: unknown): unknown[] {
    return this.messages
      .filter((message) => message.id === id && message.result?.data !== undefined)
      .map(({ result }) => result?.data?.value)
  }
}

describe('a subscription through the CometBFT proxy', () => {
  let comet: FakeComet
  let proxy: ProxyServer
  let clients: Client[]

  beforeEach(async () => {
    clients = []
    comet = await FakeComet.start()
    proxy = await openProxy(comet.socketPath)
  })

  afterEach(async () => {
    for (const { socket } of clients) socket.terminate()
    await proxy.close()
    await comet.remove()
  })

  async function connect(): Promise<Client> {
    const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/websocket`)
    await once(socket, 'open')
    const client = new Client(socket)
    clients.push(client)
    return client
  }

  test('is shared by two clients, each with its own id and spelling of the query', async () => {
    const [a, b] = [await connect(), await connect()]
    const spelling = "tm.event  =  'NewBlock'"
    expect(await a.ask(1, 'subscribe', NEW_BLOCK)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect(await b.ask('b', 'subscribe', spelling)).toEqual({ jsonrpc: '2.0', id: 'b', result: {} })
    expect(comet.methods).toEqual([`subscribe ${NEW_BLOCK}`])
    comet.publish(NEW_BLOCK, { text: 'Zürich "<>&"' })
    await until(() => a.events(1).length === 1 && b.events('b').length === 1)
    const event = { data: { type: 'test', value: { text: 'Zürich "<>&"' } }, events: {} }
    expect(a.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { query: NEW_BLOCK, ...event },
    })
    expect(b.messages.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 'b',
      result: { query: spelling, ...event },
    })
  })

  test('of one query remains when another ends, and CometBFT is notified after the last has ended', async () => {
    const [a, b] = [await connect(), await connect()]
    await a.ask(1, 'subscribe', NEW_BLOCK)
    await b.ask(2, 'subscribe', NEW_BLOCK)
    a.socket.close()
    await once(a.socket, 'close')
    comet.publish(NEW_BLOCK, { n: 1 })
    await until(() => b.events(2).length === 1)
    expect(comet.methods).toHaveLength(1)
    expect((await b.ask(3, 'unsubscribe', NEW_BLOCK)).result).toEqual({})
    await until(() => comet.methods.length === 2)
    expect(comet.methods).toEqual([`subscribe ${NEW_BLOCK}`, `unsubscribe ${NEW_BLOCK}`])
    expect((await b.ask(4, 'subscribe', NEW_BLOCK)).result).toEqual({})
    comet.publish(NEW_BLOCK, { n: 2 })
    await until(() => b.events(4).length === 1)
    expect(b.events(2)).toEqual([{ n: 1 }])
    // All share one connection: a second one would end the subscriptions of the first.
    expect(comet.sockets.size).toBe(1)
  })

  test('delivers an event that arrives together with the answer after the answer', async () => {
    comet.take = ({ id, params }, socket) => {
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: {} })
      const result = { query: params.query, data: { type: 'test', value: { n: 1 } }, events: {} }
      socket.send(answer)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    const client = await connect()
    await client.ask(1, 'subscribe', NEW_BLOCK)
    await until(() => client.messages.length === 2)
    expect(client.messages.map(({ result }) => result?.query)).toEqual([undefined, NEW_BLOCK])
  })

  test('is refused beyond its limits with the error messages of CometBFT', async () => {
    const [a, b, c, d] = [await connect(), await connect(), await connect(), await connect()]
    const error = (data: string) => ({ code: -32603, message: 'Internal error', data })
    await a.ask(1, 'subscribe', NEW_BLOCK)
    expect((await a.ask(2, 'subscribe', "tm.event = 'NewBlock'")).error).toEqual(
      error('already subscribed'),
    )
    expect((await a.ask(3, 'unsubscribe', "tm.event='Tx'")).error).toEqual(
      error('subscription not found'),
    )
    expect((await a.ask(4, 'subscribe', 'tm.event =')).error?.data).toMatch(
      /^failed to parse query: /,
    )
    await a.ask(5, 'subscribe', "tm.event='Tx'")
    expect((await a.ask(6, 'subscribe', "tm.event='Vote'")).error?.data).toMatch(
      /^max_subscriptions_per_client 2 reached/,
    )
    await b.ask(1, 'subscribe', NEW_BLOCK)
    await c.ask(1, 'subscribe', NEW_BLOCK)
    expect((await d.ask(1, 'subscribe', NEW_BLOCK)).error?.data).toMatch(
      /^max_subscription_clients 3 reached/,
    )
    expect((await c.ask(2, 'unsubscribe_all')).result).toEqual({})
    expect((await d.ask(2, 'subscribe', NEW_BLOCK)).result).toEqual({})
  })

  test('is refused if CometBFT refuses it, and takes no slot', async () => {
    const refusal = {
      code: -32603,
      message: 'Internal error',
      data: 'max_subscriptions_per_client 5 reached',
    }
    comet.take = ({ id }, socket) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: refusal }))
    const client = await connect()
    for (let id = 1; id <= 5; id++) {
      expect((await client.ask(id, 'subscribe', NEW_BLOCK)).error).toEqual(refusal)
    }
    comet.take = ({ id }, socket) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
    expect((await client.ask(6, 'subscribe', NEW_BLOCK)).result).toEqual({})
  })

  test('ends with the message of CometBFT when it stops, and restarts once it is back', async () => {
    const [a, b] = [await connect(), await connect()]
    await a.ask(1, 'subscribe', NEW_BLOCK)
    await b.ask(2, 'subscribe', "tm.event='Tx'")
    await comet.stop()
    const canceled = {
      code: -32000,
      message: 'Server error',
      data: 'subscription was canceled (reason: CometBFT exited)',
    }
    await until(() => a.messages.length === 2 && b.messages.length === 2)
    expect([a.messages[1], b.messages[1]]).toEqual([
      { jsonrpc: '2.0', id: 1, error: canceled },
      { jsonrpc: '2.0', id: 2, error: canceled },
    ])
    expect((await a.ask(3, 'subscribe', NEW_BLOCK)).error).toEqual({
      code: -32000,
      message: 'Server error',
      data: expect.stringMatching(/^CometBFT does not answer \(E\w+\): try again shortly$/),
    })
    await comet.listen()
    expect((await a.ask(4, 'subscribe', NEW_BLOCK)).result).toEqual({})
    comet.publish(NEW_BLOCK, { n: 1 })
    await until(() => a.events(4).length === 1)
  })

  test('to one transaction hash does not block broadcast_tx_commit of the same transaction', async () => {
    const client = await connect()
    const query = "tm.event='Tx' AND tx.hash='AB'"
    await client.ask(1, 'subscribe', query)
    const asked = `${query} AND tm.event EXISTS`
    expect(comet.methods).toEqual([`subscribe ${asked}`])
    comet.publish(asked, { n: 1 })
    await until(() => client.events(1).length === 1)
    expect(client.messages.at(-1)?.result?.query).toBe(query)
  })

  test('of a client that does not read is dropped, and the others continue', async () => {
    const [slow, quick] = [await connect(), await connect()]
    await slow.ask(1, 'subscribe', NEW_BLOCK)
    await quick.ask(1, 'subscribe', NEW_BLOCK)
    slow.socket.pause()
    const text = 'x'.repeat(1 << 20)
    const count = 60
    for (let n = 1; n <= count; n++) {
      comet.publish(NEW_BLOCK, { n, text })
      await until(() => quick.events(1).length === n)
    }
    slow.socket.resume()
    await until(() => slow.messages.some(({ error }) => error !== undefined))
    expect(slow.messages.find(({ error }) => error !== undefined)?.error?.data).toBe(
      'subscription was canceled (reason: client is not pulling messages fast enough)',
    )
    expect(slow.events(1).length).toBeLessThan(count)
    expect(quick.events(1)).toHaveLength(count)
    for (const { socket } of clients) socket.terminate()
    await until(() => proxy.work.load.reservedBytes === 0)
  })

  test('delivers a long event whole', async () => {
    const client = await connect()
    await client.ask(1, 'subscribe', NEW_BLOCK)
    const text = 'ü'.repeat(12 << 20)
    comet.publish(NEW_BLOCK, { text })
    comet.publish(NEW_BLOCK, { text: 'short' })
    await until(() => client.events(1).length === 2)
    expect(client.events(1)).toEqual([{ text }, { text: 'short' }])
  })

  test('does not delay routes: they are answered in order, long results in fragments', async () => {
    const text = 'x'.repeat(3 << 20)
    comet.answer = ({ method }) => ({ of: method, text: method === 'block' ? text : '' })
    const client = await connect()
    for (const [id, method] of ['block', 'lag_status', 'health', 'block_results'].entries()) {
      client.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method }))
    }
    await until(() => client.messages.length === 4)
    expect(client.messages.map(({ id }) => id)).toEqual([0, 1, 2, 3])
    expect(client.messages[0]?.result).toEqual({ of: 'block', text })
    expect(client.messages[2]?.result).toEqual({ of: 'health', text: '' })
  })

  test('of a client that disconnects while subscribing gets no event and is ended at CometBFT', async () => {
    const taken: (() => void)[] = []
    comet.take = ({ id }, socket) => {
      taken.push(() => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} })))
    }
    const client = await connect()
    client.socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query: NEW_BLOCK } }),
    )
    await until(() => taken.length === 1)
    client.socket.terminate()
    await once(client.socket, 'close')
    await until(() => proxy.work.load.reservedBytes === 0)
    taken[0]?.()
    await until(() => comet.methods.length === 2)
    expect(comet.methods[1]).toBe(`unsubscribe ${NEW_BLOCK}`)
  })
})
