import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RawSocket } from '../../../../../support/node/raw-socket.ts'
import { TRANSPORTS } from '../../../../../support/node/server-fixture.ts'
import { until } from '../../../../../support/until.ts'
import { FakeComet } from './fake-comet.ts'
import { openProxy, type ProxyServer } from './proxy-server.ts'

const GONE =
  /^CometBFT does not answer \((ENOENT|ECONNREFUSED|ECONNRESET|socket hang up)\): the node restarts it if it ends, try again shortly$/

describe.each(TRANSPORTS)('the CometBFT proxy on %s', (transport) => {
  let comet: FakeComet
  let proxy: ProxyServer

  beforeEach(async () => {
    comet = await FakeComet.start()
    proxy = await openProxy(comet.socketPath, transport)
  })

  afterEach(async () => {
    await proxy.close()
    await comet.remove()
  })

  async function get(path: string): Promise<[status: number, body: unknown]> {
    const response = await fetch(`${proxy.url}${path}`)
    return [response.status, await response.json()]
  }

  async function post(body: unknown): Promise<[status: number, body: unknown]> {
    const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify(body) })
    return [response.status, await response.json()]
  }

  test('rebuilds a request from what was parsed, and answers with the id of the client', async () => {
    comet.answer = ({ method, params }) => ({ method, params })
    const asked = { method: 'block', params: { height: '3' } }
    expect(await get('/block?height="3"&height=4&unknown=1')).toEqual([
      200,
      { jsonrpc: '2.0', id: -1, result: { method: 'block', params: { height: '3' } } },
    ])
    expect(await post({ jsonrpc: '2.0', id: 'a"b', method: 'block', params: [3] })).toEqual([
      200,
      { jsonrpc: '2.0', id: 'a"b', result: asked },
    ])
    expect(comet.bodies.at(-1)).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"block","params":{"height":"3"}}',
    )
  })

  test('encodes bytes as CometBFT does for each route', async () => {
    comet.answer = ({ params }) => params
    const hash = 'AB'.repeat(32)
    const base64 = Buffer.from(hash, 'hex').toString('base64')
    const result = async (path: string) => ((await get(path))[1] as { result: unknown }).result
    expect(await result(`/block_by_hash?hash=0x${hash}`)).toEqual({ hash: base64 })
    expect(await result(`/header_by_hash?hash=0x${hash}`)).toEqual({ hash: hash.toLowerCase() })
    expect(await result(`/tx?hash=0x${hash}&prove=true`)).toEqual({ hash: base64, prove: true })
    expect(await result('/broadcast_tx_commit?tx="ab"')).toEqual({ tx: 'YWI=' })
    expect(await result('/abci_query?path="/store/params/key"&data=0x6162&prove=1')).toBeUndefined()
    expect(await result('/abci_query?path="/store/params/key"&data="ab"&prove=true')).toEqual({
      path: '/store/params/key',
      data: '6162',
      prove: true,
    })
  })

  test('adds a transaction to the pool of the node, which stores it before it answers', async () => {
    comet.answer = () => ({ code: 1, log: 'nonce too high' })
    const asked = comet.bodies.length
    const hash = createHash('sha256').update('ab').digest('hex').toUpperCase()
    for (const route of ['broadcast_tx', 'broadcast_tx_sync', 'broadcast_tx_async']) {
      expect(await get(`/${route}?tx=0x6162`), route).toMatchObject([
        200,
        { result: { code: 0, codespace: '', data: '', hash, log: '' } },
      ])
    }
    expect(comet.bodies).toHaveLength(asked)
  })

  test('answers an error with the message of CometBFT', async () => {
    const error = {
      code: -32603,
      message: 'Internal error',
      data: 'height 9 is not available, lowest height is 10',
    }
    comet.answer = () => ({ error })
    expect(await get('/block?height=9')).toEqual([200, { jsonrpc: '2.0', id: -1, error }])
    expect(await post({ id: 5, method: 'block' })).toEqual([200, { jsonrpc: '2.0', id: 5, error }])
    comet.answer = () => ({ error: { code: -32602, message: 'Invalid params' } })
    expect(await get('/block')).toEqual([
      400,
      { jsonrpc: '2.0', id: -1, error: { code: -32602, message: 'Invalid params', data: '' } },
    ])
  })

  test('keeps the order of a batch that mixes our routes and those of CometBFT, also for long results', async () => {
    const text = 'x'.repeat(300_000)
    comet.answer = ({ method }) => ({ of: method, text: method === 'block' ? text : '' })
    const lag = { current_height: 7, max_peer_height: 9, lag: 2 }
    const request = (id: number | undefined, method: string) => ({ jsonrpc: '2.0', id, method })
    const [status, body] = await post([
      request(1, 'lag_status'),
      request(2, 'block'),
      request(undefined, 'commit'),
      request(3, 'unsafe_flush_mempool'),
      request(4, 'block'),
      request(5, 'health'),
      request(6, 'lag_status'),
    ])
    expect(status).toBe(200)
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 1, result: lag },
      { jsonrpc: '2.0', id: 2, result: { of: 'block', text } },
      {
        jsonrpc: '2.0',
        id: 3,
        error: {
          code: -32601,
          message: 'Method not found',
          data: 'no method unsafe_flush_mempool',
        },
      },
      { jsonrpc: '2.0', id: 4, result: { of: 'block', text } },
      { jsonrpc: '2.0', id: 5, result: { of: 'health', text: '' } },
      { jsonrpc: '2.0', id: 6, result: lag },
    ])
    expect(comet.bodies).toHaveLength(3)
  })

  test('forwards a long result byte for byte, however it is split', async () => {
    const result = JSON.stringify({ data: randomBytes(700_000).toString('base64') })
    comet.answer = (_, response) => {
      const answer = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
      let at = 0
      const write = () => {
        const end = Math.min(at + 1 + Math.floor(Math.random() * 50_000), answer.length)
        response.write(answer.subarray(at, end))
        at = end
        if (at < answer.length) setImmediate(write)
        else response.end()
      }
      write()
      return undefined
    }
    for (let i = 0; i < 5; i++) {
      const response = await fetch(`${proxy.url}/block`)
      expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":-1,"result":${result}}`)
    }
  })

  test('truncates an answer that breaks off, and refuses one with an invalid beginning', async () => {
    comet.answer = (_, response) => {
      response.write(`{"jsonrpc":"2.0","id":1,"result":{"data":"${'x'.repeat(200_000)}`)
      setImmediate(() => response.destroy())
      return undefined
    }
    const response = await fetch(`${proxy.url}/block`)
    await expect(response.text()).rejects.toThrow()
    for (const text of ['{}', 'bad gateway', 'x'.repeat(100_000)]) {
      comet.answer = (_, held) => {
        held.end(text)
        return undefined
      }
      const [status, body] = await get('/block')
      expect([status, (body as { error: { code: number } }).error.code]).toEqual([503, -32000])
    }
  })

  test('answers HEAD with the headers, and aborts a long answer', async () => {
    let closed = 0
    comet.answer = (_, response) => {
      response.write(`{"jsonrpc":"2.0","id":1,"result":{"data":"${'x'.repeat(200_000)}`)
      response.on('close', () => closed++)
      return undefined
    }
    const socket = await RawSocket.connect(proxy.port)
    socket.send('HEAD /block HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => closed === 1)
    comet.answer = () => ({})
    socket.send('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => socket.received.includes('"result":{}'))
    expect(socket.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(socket.received).not.toContain('xxx')
    socket.destroy()
  })

  test('reports on each call that CometBFT is down, and answers our own routes', async () => {
    await comet.stop()
    const [status, body] = await get('/status')
    expect(status).toBe(503)
    const error = { code: -32000, message: 'Server error', data: expect.stringMatching(GONE) }
    expect(body).toEqual({ jsonrpc: '2.0', id: -1, error })
    const [posted, answers] = await post([
      { id: 1, method: 'block' },
      { id: 2, method: 'lag_status' },
    ])
    expect(posted).toBe(200)
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, error },
      { jsonrpc: '2.0', id: 2, result: { current_height: 7, max_peer_height: 9, lag: 2 } },
    ])
    expect(JSON.stringify([body, answers])).not.toContain(comet.folder)
    await comet.listen()
    expect((await get('/health'))[0]).toBe(200)
  })

  test('times out calls that CometBFT never answers', async () => {
    const hasty = await openProxy(comet.socketPath, transport, { timeoutMs: 30 })
    comet.answer = () => undefined
    const response = await fetch(`${hasty.url}/block`)
    expect([response.status, await response.json()]).toEqual([
      503,
      {
        jsonrpc: '2.0',
        id: -1,
        error: {
          code: -32000,
          message: 'Server error',
          data: 'CometBFT does not answer (no answer within 0.03 s): the node restarts it if it ends, try again shortly',
        },
      },
    ])
    await hasty.close()
  })

  test('aborts the request to CometBFT when its client disconnects', async () => {
    let closed = 0
    let begun = 0
    for (const begins of [false, true]) {
      comet.answer = (_, response, message) => {
        begun++
        message.socket.on('close', () => closed++)
        if (begins) response.write(`{"jsonrpc":"2.0","id":1,"result":{"d":"${'x'.repeat(200_000)}`)
        return undefined
      }
      const [before, ended] = [begun, closed]
      const socket = await RawSocket.connect(proxy.port)
      socket.send('GET /block HTTP/1.1\r\nhost: x\r\n\r\n')
      await until(() => begun > before)
      if (begins) await until(() => socket.received.length > 1000)
      socket.destroy()
      await until(() => closed > ended)
    }
  })

  test('reads no more of a long answer than its client does', async () => {
    const piece = Buffer.alloc(1 << 18, 'x')
    let written = 0
    let isFull = false
    comet.answer = (_, response) => {
      response.write('{"jsonrpc":"2.0","id":1,"result":{"d":"')
      const write = () => {
        while (written < 256) {
          written++
          if (response.write(piece)) continue
          isFull = true
          response.once('drain', write)
          return
        }
        response.end('"}}')
      }
      write()
      return undefined
    }
    const socket = await RawSocket.connect(proxy.port)
    socket.pause()
    socket.send('GET /block HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => isFull)
    // While nothing is read, answer other clients one after another, so that the relay has the chance to continue.
    const held = comet.answer
    comet.answer = () => ({})
    for (let i = 0; i < 20; i++) await get('/health')
    expect(written).toBeLessThan(32)
    comet.answer = held
    socket.resume()
    await until(() => written === 256)
    socket.destroy()
  })

  test("forwards only CometBFT's routes, whatever path, method or length a request has", async () => {
    const send = async (request: string): Promise<string> => {
      const socket = await RawSocket.connect(proxy.port)
      socket.send(request)
      const received = await socket.until('\r\n\r\n').catch(() => socket.closed())
      socket.destroy()
      return received.slice(9, 12)
    }
    const paths = [
      ...['/unsafe_flush_mempool', '/dial_seeds?seeds=["a@b:1"]', '/dial_peers', '/debug/pprof'],
      ...[
        '//block',
        '/block/',
        '/block%2f',
        '/./block',
        '/a/../block',
        '/block#x',
        '/%62lock',
        '/BLOCK',
      ],
      ...['/websocket', '/v1/block', '/status/../health', '/block;x', '/toString', '/__proto__'],
    ]
    for (const path of paths) {
      const status = await send(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      expect([path, ['404', '400'].includes(status)]).toEqual([path, true])
    }
    const body = '{"id":1,"method":"health"}'
    const lengths = `content-length: ${body.length}\r\n`
    for (const request of [
      `POST / HTTP/1.1\r\nhost: x\r\n${lengths}content-length: 3\r\n\r\n${body}`,
      `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      `PUT / HTTP/1.1\r\nhost: x\r\n${lengths}\r\n${body}`,
      `POST /block HTTP/1.1\r\nhost: x\r\n${lengths}\r\n${body}`,
    ]) {
      expect(['400', '404', '405', '501']).toContain(await send(request))
    }
    for (const text of [
      '{"id":1,"method":"health',
      '[]',
      '{"id":{},"method":"health"}',
      '"x"',
      '1',
    ]) {
      const answer = await fetch(proxy.url, { method: 'POST', body: text })
      expect([text, ((await answer.json()) as { error: { code: number } }).error.code]).toEqual([
        text,
        expect.toBeOneOf([-32700, -32600]),
      ])
    }
    expect(comet.bodies).toEqual([])
    // The node and CometBFT read duplicate members alike.
    await fetch(proxy.url, {
      method: 'POST',
      body: '{"id":1,"method":"unsafe_flush_mempool","method":"health","params":{"__proto__":{"a":1},"x":2}}',
    })
    expect(comet.bodies).toEqual(['{"jsonrpc":"2.0","id":1,"method":"health","params":{}}'])
  })

  test('lists the routes that it serves', async () => {
    const page = await (await fetch(proxy.url)).text()
    const links = Array.from(page.matchAll(/href="\/(\w+)/g), ([, name]) => name)
    expect(links).toHaveLength(33)
    expect(links).toContain('lag_status')
    expect(page).not.toContain('unsafe')
    expect(comet.bodies).toEqual([])
  })
})

test('adds this server and its peers to the status of CometBFT', async () => {
  const comet = await FakeComet.start()
  const proxy = await openProxy(comet.socketPath)
  comet.answer = () => ({
    node_info: { id: 'ab', other: { tx_index: 'on', rpc_address: 'unix:///secret' } },
    sync_info: { latest_block_height: '7', catching_up: true },
    validator_info: { voting_power: '3' },
  })
  const { result } = (await (await fetch(`${proxy.url}/status`)).json()) as { result: object }
  expect(result).toMatchObject({
    node_info: { id: 'ab', other: { tx_index: 'on', rpc_address: 'tcp://127.0.0.1:26657' } },
    application_info: { version: '0.1.0' },
    sync_info: {
      latest_block_height: '7',
      last_committed_block_height: '7',
      max_peer_block_height: '9',
      catching_up: true,
    },
    validator_info: { voting_power: '3' },
  })
  await proxy.close()
  await comet.remove()
})

test('finds a transaction by its EVM JSON-RPC hash too, if this node has it', async () => {
  const comet = await FakeComet.start()
  const proxy = await openProxy(comet.socketPath, 'node', {
    transaction: (hash) => (hash[0] === 1 ? Buffer.from('abc') : undefined),
  })
  comet.answer = ({ params }) => params
  const { result } = (await (await fetch(`${proxy.url}/tx?hash=0x${'01'.repeat(32)}`)).json()) as {
    result: { hash: string }
  }
  expect(Buffer.from(result.hash, 'base64').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  await proxy.close()
  await comet.remove()
})
