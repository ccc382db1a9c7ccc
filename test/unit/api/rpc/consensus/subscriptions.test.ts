import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { BlockEvents } from '../../../../../host/api/rpc/consensus/published-events.ts'
import { EventSubscription } from '../../../../../host/api/rpc/consensus/subscriber.ts'
import { SubscriptionSlots } from '../../../../../host/api/rpc/consensus/subscription-slots.ts'
import type { WebSocketPeer } from '../../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import { makeGate } from '../../../../support/gate.ts'
import { until } from '../../../../support/until.ts'
import { openToyServer, type ToyServer } from './toy-server.ts'

interface Message {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly data: string }
}

/** A connection to /websocket with all messages that it received. */
class Client {
  readonly messages: Message[] = []
  closed: number | undefined
  readonly #socket: WebSocket

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data)) as Message))
    socket.on('close', (code) => {
      this.closed = code
    })
  }

  static async open(url: string): Promise<Client> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`)
    const client = new Client(socket)
    await new Promise((resolve, reject) => {
      socket.on('open', resolve)
      socket.on('error', reject)
    })
    return client
  }

  send(id: unknown, method: string, params: object = {}): void {
    this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  raw(text: string): void {
    this.#socket.send(text)
  }

  /** Returns the result of a call, or the data of its error. */
  async ask(method: string, params: object = {}): Promise<unknown> {
    const id = `call ${this.messages.length}`
    this.send(id, method, params)
    const answer = () => this.messages.find((message) => message.id === id)
    await until(() => answer() !== undefined)
    return answer()?.error?.data ?? answer()?.result
  }

  close(): void {
    this.#socket.close()
  }
}

let toy: ToyServer

beforeAll(async () => {
  toy = await openToyServer(5, { slots: new SubscriptionSlots({ clients: 3, perClient: 2 }) })
})

afterAll(() => toy.close())

describe('/websocket', () => {
  test('counts the subscriptions of a client and recognizes a query in every spelling', async () => {
    const client = await Client.open(toy.url)
    const subscribe = (query: string) => client.ask('subscribe', { query })
    expect(await subscribe("tm.event='NewBlock'")).toEqual({})
    expect(await subscribe("tm.event  =  'NewBlock'")).toBe('already subscribed')
    expect(await subscribe('tm.event')).toMatch(/^failed to parse query: offset 8: EOF/)
    expect(await subscribe("tm.event='Lock'")).toEqual({})
    expect(await subscribe("tm.event='Tx'")).toBe(
      'max_subscriptions_per_client 2 reached: unsubscribe first, or raise rpc.max-subscriptions-per-client',
    )
    expect(await client.ask('unsubscribe', { query: "tm.event = 'Lock'" })).toEqual({})
    expect(await client.ask('unsubscribe', { query: "tm.event='Lock'" })).toBe(
      'subscription not found',
    )
    expect(await client.ask('unsubscribe_all')).toEqual({})
    expect(await client.ask('unsubscribe_all')).toBe('subscription not found')
    expect(await client.ask('health')).toEqual({})
    client.close()
  })

  test('limits the clients, and accepts another when one disconnects', async () => {
    const clients = await Promise.all([0, 1, 2, 3].map(() => Client.open(toy.url)))
    const [first, , , last] = clients as [Client, Client, Client, Client]
    const query = { query: "tm.event='Tx'" }
    for (const client of clients.slice(0, 3))
      expect(await client.ask('subscribe', query)).toEqual({})
    const full =
      'max_subscription_clients 3 reached: try again later, or raise rpc.max-subscription-clients'
    expect(await last.ask('subscribe', query)).toBe(full)
    const commit = { tx: Buffer.from('x').toString('base64') }
    expect(await last.ask('broadcast_tx_commit', commit)).toBe(full)
    first.close()
    await until(async () => (await last.ask('subscribe', query)) !== full)
    for (const client of clients) client.close()
  })

  test('refuses subscriptions over HTTP', async () => {
    expect((await toy.post('subscribe', { query: 'a EXISTS' })).error).toEqual({
      code: -32601,
      message: 'Method not found',
      data: 'subscriptions are available only over /websocket',
    })
    expect((await fetch(`${toy.url}/subscribe?query="a"`)).status).toBe(404)
  })

  test('answers an invalid request with an error and continues', async () => {
    const client = await Client.open(toy.url)
    for (const text of [
      '{',
      '[]',
      '"x"',
      '[{"jsonrpc":"2.0","id":1,"method":"health"}]',
      '{"id":{}}',
    ]) {
      client.raw(text)
    }
    client.raw(`${'['.repeat(100)}`)
    await until(() => client.messages.length === 6)
    expect(client.messages.map(({ error }) => error?.code)).toEqual([
      -32700, -32600, -32600, -32600, -32600, -32700,
    ])
    expect(await client.ask('health')).toEqual({})
    client.close()
  })

  test('closes a connection with too many pending requests and serves the others', async () => {
    const flood = await Client.open(toy.url)
    for (let i = 0; i < 5000; i++) flood.send(i, 'status')
    const other = await Client.open(toy.url)
    expect(await other.ask('health')).toEqual({})
    await until(() => flood.closed !== undefined || flood.messages.length === 5000)
    if (flood.closed !== undefined) expect(flood.closed).toBe(1013)
    flood.close()
    other.close()
  })

  test('serves hundreds of idle connections and forgets them when they close', async () => {
    const clients = await Promise.all(Array.from({ length: 300 }, () => Client.open(toy.url)))
    expect(await (clients[299] as Client).ask('health')).toEqual({})
    for (const client of clients) client.close()
    await until(() => clients.every(({ closed }) => closed !== undefined))
  })
})

/** A client that reads only when the test says so. */
function slowPeer() {
  const sent: string[] = []
  let gate = makeGate()
  const account = new WorkScheduler(1 << 24).account('10.0.0.1')
  const peer = {
    account,
    signal: new AbortController().signal,
    send: (text: string) => sent.push(text),
    whenRead: () => gate.opened,
  } as unknown as WebSocketPeer
  return {
    peer,
    sent,
    read: () => {
      gate.open()
      gate = makeGate()
    },
  }
}

/** Blocks with one event of a megabyte each. */
function largeBlocks() {
  const source = {
    height: 0,
    asked: 0,
    events: (height: number) => {
      source.asked++
      const tags = new Map([['tm.event', ['NewBlock']]])
      const data = async () => JSON.stringify({ height, filler: 'x'.repeat(1 << 20) })
      return { height, count: 1, at: () => ({ tags, data }) } as unknown as BlockEvents
    },
  }
  return source
}

describe('a subscriber that does not read', () => {
  test('gets no further messages, and is cancelled when it is a hundred blocks behind', async () => {
    const { peer, sent } = slowPeer()
    const source = largeBlocks()
    const slots = new SubscriptionSlots({ clients: 1, perClient: 5 })
    const subscriber = new EventSubscription(peer, source, slots)
    subscriber.subscribe("tm.event='NewBlock'", 'a')
    subscriber.subscribe('tm.event EXISTS', 7)
    expect(() => slots.enter()).toThrow('max_subscription_clients 1 reached')
    const block = () => {
      source.height++
      subscriber.wake()
    }
    block()
    await until(() => sent.length === 2)
    while (source.height < 101) block()
    expect([sent.length, source.asked]).toEqual([2, 1])
    block()
    expect(sent.slice(2).map((text) => JSON.parse(text))).toEqual(
      ['a', 7].map((id) => ({
        jsonrpc: '2.0',
        id,
        error: {
          code: -32000,
          message: 'Server error',
          data: 'subscription was canceled (reason: client is not pulling messages fast enough)',
        },
      })),
    )
    slots.enter()()
  })

  test('receives every block in order when it reads late', async () => {
    const { peer, sent, read } = slowPeer()
    const source = largeBlocks()
    const subscriber = new EventSubscription(
      peer,
      source,
      new SubscriptionSlots({ clients: 1, perClient: 5 }),
    )
    subscriber.subscribe("tm.event='NewBlock'", 1)
    for (let i = 0; i < 20; i++) {
      source.height++
      subscriber.wake()
    }
    for (let i = 1; i <= 20; i++) {
      await until(() => sent.length === i)
      // Let the messages be sent and awaited.
      await new Promise(setImmediate)
      read()
    }
    const heights = sent.map((text) => JSON.parse(text).result.data.height)
    expect(heights).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  test('learns the reason if blocks were pruned before it read them', () => {
    const { peer, sent } = slowPeer()
    const source = {
      height: 0,
      events: (): BlockEvents => {
        throw new Error('block 1 is not available')
      },
    }
    const subscriber = new EventSubscription(
      peer,
      source,
      new SubscriptionSlots({ clients: 1, perClient: 5 }),
    )
    subscriber.subscribe('a EXISTS', 1)
    source.height = 1
    subscriber.wake()
    expect(JSON.parse(sent[0] ?? '').error.data).toBe(
      'subscription was canceled (reason: block 1 is not available)',
    )
  })
})
