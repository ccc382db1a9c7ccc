import { afterEach, describe, expect, test } from 'vitest'
import { rpcHttpHandler } from '../../../../host/api/rpc/protocol/http-handler.ts'
import { rpcWebSocketHandler } from '../../../../host/api/rpc/protocol/web-socket-handler.ts'
import { chooseTransport } from '../../../../host/api/server/listen.ts'
import { Origins } from '../../../../host/api/server/origins.ts'
import type { Server } from '../../../../host/api/server/server.ts'
import type { TraceRequest } from '../../../../host/api/trace-pool/trace-runner.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { FakeNode, RECIPIENT, repeat, transaction } from '../../../support/chain/fake-chain.ts'
import { postText, RawSocket } from '../../../support/node/raw-socket.ts'

const TOPIC = repeat(0x11, 32)
const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

describe.each(['uws', 'node'] as const)('JSON-RPC over the %s server', (name) => {
  const cleanups: (() => unknown)[] = []
  let ready = true

  afterEach(async () => {
    ready = true
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  async function serve(origins: readonly string[] = ['*'], limits = {}, parts = {}) {
    const node = new FakeNode(limits, parts)
    const { listen } = await chooseTransport(name)
    const { dispatcher, context } = node
    const server = await listen({
      work: context.work,
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 5 * 1024 * 1024,
      bodyIdleMs: 5000,
      maxConnections: 100,
      handler: rpcHttpHandler({
        dispatcher,
        corsOrigins: new Origins(origins),
        readiness: () => ({
          ready,
          height: context.chain.latest,
          maxPeerHeight: 3,
          lag: 3,
          waitingFor: ready ? undefined : 'blocks',
        }),
      }),
      webSocket: rpcWebSocketHandler({
        dispatcher,
        subscriptions: context.subscriptions,
        origins: new Origins(origins),
      }),
    })
    cleanups.push(async () => {
      await server.close(0)
      node.close()
      expect(node.defects).toEqual([])
    })
    return { node, server, url: `http://127.0.0.1:${server.port}` }
  }

  const send = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })

  test('answers a request with JSON', async () => {
    const { url } = await serve()
    const response = await send(url, CHAIN_ID)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x531' })
  })

  test('answers a notification with an empty body', async () => {
    const { url } = await serve()
    const response = await send(url, '{"jsonrpc":"2.0","method":"eth_chainId"}')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('requires JSON and POST', async () => {
    const { url } = await serve()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const response = await send(url, CHAIN_ID, { 'content-type': type })
      expect(response.status).toBe(415)
      expect(await response.text()).toBe('invalid content type, only application/json is supported')
    }
    const charset = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await send(url, CHAIN_ID, charset)).status).toBe(200)
    const put = await fetch(url, { method: 'PUT', body: CHAIN_ID })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD, OPTIONS'])
  })

  test('reports liveness and readiness', async () => {
    const { url } = await serve()
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ live: true })
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({
      ready: true,
      height: 0,
      max_peer_height: 3,
      lag: 3,
    })
    ready = false
    const response = await fetch(`${url}/ready`)
    expect([response.status, await response.json()]).toEqual([
      503,
      { ready: false, height: 0, max_peer_height: 3, lag: 3, waiting_for: 'blocks' },
    ])
  })

  test('allows every origin of a host that is configured without a scheme, and no other', async () => {
    const origins = ['localhost', '127.0.0.1', '[::1]']
    const { url } = await serve(origins)
    const allowed = async (origin: string) =>
      (await send(url, CHAIN_ID, { origin })).headers.get('access-control-allow-origin')
    for (const origin of ['http://localhost:3000', 'https://localhost', 'http://[::1]:5173']) {
      expect(await allowed(origin)).toBe(origin)
    }
    for (const origin of [
      'http://evil.example',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example:8545',
      'null',
    ]) {
      expect(await allowed(origin)).toBeNull()
    }
  })

  test('allows pages opened from a file if null is allowed', async () => {
    const { url } = await serve(['null'])
    const headers = { origin: 'null', 'access-control-request-headers': 'content-type' }
    const preflight = await fetch(url, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('null')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type')
    const allowed = await send(url, CHAIN_ID, { origin: 'null' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('null')
    // A host with that name is not a page opened from a file.
    const host = await send(url, CHAIN_ID, { origin: 'http://null' })
    expect(host.headers.get('access-control-allow-origin')).toBe(null)
  })

  test('allows pages of the configured origins', async () => {
    const { url } = await serve(['https://a.example'])
    const headers = { origin: 'https://a.example', 'access-control-request-headers': 'x-own' }
    const preflight = await fetch(url, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://a.example')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-own')
    const allowed = await send(url, CHAIN_ID, { origin: 'https://a.example' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://a.example')
    const refused = await send(url, CHAIN_ID, { origin: 'https://b.example' })
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
  })

  describe('with hostile input', () => {
    test('refuses 6 MB bodies, 1,001 requests and nonsense, and serves the next request', async () => {
      const { url } = await serve()
      const large = await send(url, `[${' '.repeat(6_000_000)}]`)
      expect([large.status, await large.text()]).toEqual([413, 'request body too large'])
      const batch = Array.from({ length: 1001 }, () => JSON.parse(CHAIN_ID))
      const many = await send(url, JSON.stringify(batch))
      expect(await many.json()).toMatchObject([{ error: { message: 'batch too large' } }])
      for (const body of ['', '{', '\u0000', '[', `${'{"a":'.repeat(100_000)}1`]) {
        const response = await send(url, body)
        expect(response.status).toBe(200)
        expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } })
      }
      const wrongUtf8 = Buffer.from([0x22, 0xff, 0xfe, 0x22])
      expect(await (await send(url, wrongUtf8)).json()).toMatchObject({ error: { code: -32600 } })
      const oversized = { ...JSON.parse(CHAIN_ID), method: 'eth_getBalance' }
      const hex = await send(
        url,
        JSON.stringify({ ...oversized, params: [`0x${'0'.repeat(4e6)}`] }),
      )
      expect(await hex.json()).toMatchObject({ error: { code: -32602 } })
      expect((await send(url, CHAIN_ID)).status).toBe(200)
    })

    test('answers pipelined calls in order', async () => {
      const { server } = await serve()
      const socket = await RawSocket.connect(server.port)
      cleanups.push(() => socket.destroy())
      const ids = [1, 2, 3, 4, 5]
      socket.send(ids.map((id) => postText(CHAIN_ID.replace('1', String(id)))).join(''))
      const answers = await socket.until('0x531', 5)
      expect([...answers.matchAll(/"id":(\d)/g)].map(([, id]) => Number(id))).toEqual(ids)
    })

    test('aborts the call of a client that disconnects', async () => {
      const { node, server } = await serve()
      const gone = new Promise<void>((resolve) => {
        const { pool } = node
        pool.add = () => new Promise(() => resolve())
      })
      const socket = await RawSocket.connect(server.port)
      socket.send(
        postText('{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x02"]}'),
      )
      await gone
      socket.destroy()
      const after = await send(`http://127.0.0.1:${server.port}`, CHAIN_ID)
      expect(after.status).toBe(200)
    })
  })

  describe('over WebSocket', () => {
    async function open(server: Server) {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
      cleanups.push(() => socket.close())
      const messages: Record<string, unknown>[] = []
      socket.onmessage = (event) => messages.push(JSON.parse(String(event.data)))
      await new Promise((resolve) => {
        socket.onopen = resolve
      })
      let id = 0
      const call = async (method: string, params: unknown[] = []) => {
        const mine = ++id
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: mine, method, params }))
        await expect.poll(() => messages.some((message) => message.id === mine)).toBe(true)
        const answer = messages.splice(
          messages.findIndex((message) => message.id === mine),
          1,
        )[0]
        return answer?.error ?? answer?.result
      }
      /** Returns the results announced to a subscription so far. */
      const announced = (subscription: unknown) =>
        messages
          .map(({ params }) => params as { subscription: string; result: unknown })
          .filter((params) => params.subscription === subscription)
          .map(({ result }) => result)
      return { socket, call, announced }
    }

    test('answers calls, batches and nonsense', async () => {
      const { server } = await serve()
      const { socket, call } = await open(server)
      expect(await call('eth_chainId')).toBe('0x531')
      const answers: unknown[] = []
      socket.onmessage = (event) => answers.push(JSON.parse(String(event.data)))
      socket.send(`[${CHAIN_ID},${CHAIN_ID}]`)
      socket.send('nonsense')
      await expect.poll(() => answers.length).toBe(2)
      expect(answers).toContainEqual([
        { jsonrpc: '2.0', id: 1, result: '0x531' },
        { jsonrpc: '2.0', id: 1, result: '0x531' },
      ])
      expect(answers).toContainEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700, message: 'parse error' },
      })
    })

    test('pushes heads, logs and pending transactions', async () => {
      const { node, server } = await serve()
      const { call, announced } = await open(server)
      const heads = await call('eth_subscribe', ['newHeads'])
      const logs = await call('eth_subscribe', ['logs', { topics: [formatData(TOPIC)] }])
      const allLogs = await call('eth_subscribe', ['logs'])
      const hashes = await call('eth_subscribe', ['newPendingTransactions'])
      const records = await call('eth_subscribe', ['newPendingTransactions', true])
      expect(heads).toMatch(/^0x[0-9a-f]{32}$/)
      const one = transaction()
      node.pool.announce(one)
      const header = node.addBlock([
        {
          transaction: one,
          logs: [
            { address: RECIPIENT, topics: [TOPIC], data: new Uint8Array() },
            { address: RECIPIENT, topics: [], data: new Uint8Array() },
          ],
        },
      ])
      await expect.poll(() => announced(allLogs).length).toBe(2)
      expect(announced(heads)).toMatchObject([{ number: '0x1', hash: formatData(header.hash) }])
      expect(announced(heads)[0]).not.toHaveProperty('transactions')
      expect(announced(logs)).toMatchObject([{ logIndex: '0x0', topics: [formatData(TOPIC)] }])
      expect(announced(hashes)).toEqual([formatData(one.hash)])
      expect(announced(records)).toMatchObject([{ hash: formatData(one.hash), blockHash: null }])
      expect(await call('eth_unsubscribe', [heads])).toBe(true)
      node.addBlock([])
      expect(await call('eth_blockNumber')).toBe('0x2')
      expect(announced(heads)).toHaveLength(1)
    })

    test('pushes the receipts of each block at once, of all or of some transactions', async () => {
      const { node, server } = await serve()
      const { call, announced } = await open(server)
      const [one, two] = [transaction(), transaction({ nonce: 1n })]
      const all = await call('eth_subscribe', ['transactionReceipts'])
      const filter = { transactionHashes: [formatData(two.hash)] }
      const some = await call('eth_subscribe', ['transactionReceipts', filter])
      expect(await call('eth_subscribe', ['syncing'])).toMatch(/^0x[0-9a-f]{32}$/)
      node.addBlock([])
      node.addBlock([{ transaction: one }, { transaction: two }])
      await expect.poll(() => announced(some).length).toBe(1)
      const receipts = await call('eth_getBlockReceipts', ['0x2'])
      expect(announced(all)).toEqual([receipts])
      expect(announced(some)).toEqual([(receipts as unknown[]).slice(1)])
      const many = { transactionHashes: Array(201).fill(formatData(one.hash)) }
      expect(await call('eth_subscribe', ['transactionReceipts', many])).toEqual({
        code: -32000,
        message:
          'exceed max number of transaction hashes allowed per transactionReceipts subscription',
      })
    })

    test('accepts only its own subscriptions and forgets those of a closed connection', async () => {
      const { node, server } = await serve()
      const one = await open(server)
      const two = await open(server)
      const id = await one.call('eth_subscribe', ['newHeads'])
      const missing = { code: -32000, message: 'subscription not found' }
      expect(await two.call('eth_unsubscribe', [id])).toEqual(missing)
      expect(node.context.subscriptions.size).toBe(1)
      one.socket.close()
      await expect.poll(() => node.context.subscriptions.size).toBe(0)
    })

    test('streams the traces of a block range in order, until they or the subscription end', async () => {
      const asked: TraceRequest[] = []
      let begin: (() => void) | undefined
      const start = async (request: TraceRequest): Promise<Uint8Array> => {
        asked.push(request)
        const { plan } = request.job
        if (plan?.height === 4) throw new LockstepError('SERVER_BUSY', 'too many traces')
        if (plan?.height === 6) await new Promise<void>((resolve) => (begin = resolve))
        return Buffer.from(`[${plan?.height}]`)
      }
      const { node, server } = await serve(['*'], {}, { traces: { start, close: async () => {} } })
      for (let height = 1; height <= 7; height++) {
        node.addBlock(height === 2 ? [] : [{ transaction: transaction({ nonce: BigInt(height) }) }])
      }
      const { call, socket } = await open(server)
      const told: unknown[] = []
      socket.addEventListener('message', ({ data }) => {
        const { method, params } = JSON.parse(String(data))
        if (method === 'debug_subscription') told.push(params)
      })
      const subscription = await call('debug_subscribe', ['traceChain', '0x0', 'latest'])
      await expect.poll(() => asked.length).toBe(5)
      const hash = (height: number) => formatData(node.chain.header(height)?.hash as Uint8Array)
      const result = (height: number, more = {}) => ({
        subscription,
        result: { block: `0x${height}`, hash: hash(height), traces: [height], ...more },
      })
      const busy = { traces: [], error: 'too many traces' }
      await expect.poll(() => told.length).toBe(4)
      expect(told).toEqual([result(1), result(3), result(4, busy), result(5)])
      expect(await call('debug_unsubscribe', [subscription])).toBe(true)
      expect(asked.at(-1)?.signal.aborted).toBe(true)
      expect(node.context.subscriptions.size).toBe(0)
      begin?.()
      const missing = { code: -32000, message: 'subscription not found' }
      expect(await call('debug_unsubscribe', [subscription])).toEqual(missing)
      const reason = 'end block (#2) needs to come after start block (#2)'
      expect(await call('debug_subscribe', ['traceChain', '0x2', '0x2'])).toEqual({
        code: -32000,
        message: reason,
      })
    })

    test('limits subscriptions and refuses unknown ones', async () => {
      const { server } = await serve(['*'], { logSubscriptions: 1, connectionSubscriptions: 2 })
      const { call } = await open(server)
      const full = { code: -32000, message: 'no new subscription can be created' }
      await call('eth_subscribe', ['logs'])
      expect(await call('eth_subscribe', ['logs'])).toEqual(full)
      await call('eth_subscribe', ['newHeads'])
      expect(await call('eth_subscribe', ['newHeads'])).toEqual(full)
      expect(await call('eth_subscribe', ['weather'])).toEqual({
        code: -32601,
        message: 'no "weather" subscription in eth namespace',
      })
    })
  })
})
