import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CometRpc } from '../../../../host/consensus/cometbft/comet-rpc.ts'

type Answer = (body: string, request: IncomingMessage, response: ServerResponse) => unknown

let folder: string
let socketPath: string
let server: Server
let answer: Answer
let connections: number
let rpc: CometRpc

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comet-rpc-'))
  socketPath = join(folder, 'rpc.sock')
  connections = 0
  server = createServer(async (request, response) => {
    const written = answer(await text(request), request, response)
    if (written !== undefined) response.end(JSON.stringify(written))
  })
  server.on('connection', () => connections++)
  server.listen(socketPath)
  await once(server, 'listening')
  rpc = new CometRpc({ socketPath })
})

afterEach(async () => {
  rpc.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

interface Request {
  readonly id: number
  readonly method: string
  readonly params: Record<string, unknown>
}

describe('a call', () => {
  test('gives the result, and connections are kept', async () => {
    answer = (body) => {
      const { id, method, params } = JSON.parse(body) as Request
      return { jsonrpc: '2.0', id, result: { method, params } }
    }
    for (let height = 1; height <= 3; height++) {
      const params = { height: String(height) }
      expect(await rpc.call('block', params)).toEqual({ method: 'block', params })
    }
    expect(connections).toBe(1)
  })

  test('throws what CometBFT says', async () => {
    const error = { code: -32603, message: 'Internal error', data: 'height 9 must be less' }
    answer = (body) => ({ jsonrpc: '2.0', id: (JSON.parse(body) as Request).id, error })
    await expect(rpc.call('block', { height: '9' })).rejects.toMatchObject({
      code: 'COMETBFT_REFUSED',
      message: 'CometBFT: block: Internal error: height 9 must be less',
      data: error,
    })
  })

  test('says what stands in place of JSON', async () => {
    answer = (_, __, response) => {
      response.statusCode = 502
      response.end('bad\n')
    }
    await expect(rpc.call('status')).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: 'CometBFT does not answer: HTTP 502: bad',
    })
  })

  test('ends where nothing listens, with its time and by its signal', async () => {
    const nobody = new CometRpc({ socketPath: join(folder, 'none.sock') })
    await expect(nobody.call('status')).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
    nobody.close()

    answer = () => undefined
    const hasty = new CometRpc({ socketPath, timeoutMs: 20 })
    await expect(hasty.call('status')).rejects.toMatchObject({
      message: 'CometBFT does not answer: no answer within 0.02 s',
    })
    hasty.close()

    const asked = once(server, 'request')
    const controller = new AbortController()
    const call = rpc.call('status', {}, controller.signal)
    const refused = expect(call).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
    await asked
    controller.abort()
    await refused
  })
})

describe('a batch', () => {
  test('gives the answers in the order of the calls, an error beside results', async () => {
    answer = (body) => {
      const error = { code: -32601, message: 'Method not found' }
      return (JSON.parse(body) as Request[])
        .map(({ id, method }) => ({ id, ...(method === 'x' ? { error } : { result: method }) }))
        .reverse()
    }
    expect(await rpc.batch([{ method: 'a' }, { method: 'x' }, { method: 'b' }])).toEqual([
      { result: 'a' },
      { error: { code: -32601, message: 'Method not found', data: '' } },
      { result: 'b' },
    ])
    expect(await rpc.batch([])).toEqual([])
  })

  test('refused as a whole gives that answer to each call', async () => {
    answer = () => ({ id: null, error: { code: -32700, message: 'Parse error', data: 'x' } })
    const refused = { error: { code: -32700, message: 'Parse error', data: 'x' } }
    expect(await rpc.batch([{ method: 'a' }, { method: 'b' }])).toEqual([refused, refused])
  })

  test('with an answer missing is no answer', async () => {
    answer = (body) => (JSON.parse(body) as Request[]).slice(1).map(({ id }) => ({ id, result: 1 }))
    await expect(rpc.batch([{ method: 'a' }, { method: 'b' }, { method: 'c' }])).rejects.toThrow(
      'CometBFT does not answer: no answer to a among 2 to 3 calls',
    )
  })
})

test('a GET route and a posted text go as they are', async () => {
  answer = (body, { method, url }, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end(`${method} ${url} ${body}`)
  }
  const got = await rpc.get('/block?height=1')
  expect(got).toMatchObject({ status: 200, contentType: 'text/plain' })
  expect(got.body.toString()).toBe('GET /block?height=1 ')
  expect((await rpc.post('{}')).body.toString()).toBe('POST / {}')
})
