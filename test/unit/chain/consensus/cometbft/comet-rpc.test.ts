import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CometRpc } from '../../../../../host/chain/consensus/cometbft/comet-rpc.ts'
import { until } from '../../../../support/until.ts'

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

describe('a call to the RPC of CometBFT', () => {
  test('returns the result and reuses connections', async () => {
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

  test('is retried if a reused connection was closed, and only once on a new connection', async () => {
    const asked = new Map<object, number>()
    answer = (body, { socket }) => {
      const before = asked.get(socket) ?? 0
      asked.set(socket, before + 1)
      if (before > 0) {
        socket.destroy()
        return undefined
      }
      return { jsonrpc: '2.0', id: (JSON.parse(body) as Request).id, result: connections }
    }
    expect(await rpc.call('status')).toBe(1)
    expect(await rpc.call('status')).toBe(2)
    expect([...asked.values()]).toEqual([2, 1])
    answer = (_, { socket }) => {
      socket.destroy()
      return undefined
    }
    await expect(rpc.call('status')).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
    expect(connections).toBe(3)
  })

  test('throws the error of CometBFT', async () => {
    const error = { code: -32603, message: 'Internal error', data: 'height 9 must be less' }
    answer = (body) => ({ jsonrpc: '2.0', id: (JSON.parse(body) as Request).id, error })
    await expect(rpc.call('block', { height: '9' })).rejects.toMatchObject({
      code: 'COMETBFT_REFUSED',
      message: 'CometBFT: block: Internal error: height 9 must be less',
      data: error,
    })
  })

  test('reports a response that is not JSON', async () => {
    answer = (_, __, response) => {
      response.statusCode = 502
      response.end('bad\n')
    }
    await expect(rpc.call('status')).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: 'CometBFT does not answer: HTTP 502: bad',
    })
  })

  test('fails if no server listens, at its timeout, and when its signal aborts', async () => {
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

describe('a batch of calls to CometBFT', () => {
  test('returns the results in the order of the calls, including errors', async () => {
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

  test('that is refused as a whole fails each call with that error', async () => {
    answer = () => ({ id: null, error: { code: -32700, message: 'Parse error', data: 'x' } })
    const refused = { error: { code: -32700, message: 'Parse error', data: 'x' } }
    expect(await rpc.batch([{ method: 'a' }, { method: 'b' }])).toEqual([refused, refused])
  })

  test('fails if one answer is missing', async () => {
    answer = (body) => (JSON.parse(body) as Request[]).slice(1).map(({ id }) => ({ id, result: 1 }))
    await expect(rpc.batch([{ method: 'a' }, { method: 'b' }, { method: 'c' }])).rejects.toThrow(
      'CometBFT does not answer: no answer to a among 2 to 3 calls',
    )
  })
})

describe('a streamed response of CometBFT', () => {
  test('continues as it is read and ends with its signal', async () => {
    let left = 0
    answer = (_, __, response) => {
      response.write('first')
      response.on('close', () => left++)
    }
    const controller = new AbortController()
    const opened = await rpc.open('{}', controller.signal)
    const parts = opened[Symbol.asyncIterator]()
    expect(String((await parts.next()).value)).toBe('first')
    const second = parts.next()
    controller.abort()
    await expect(second).rejects.toThrow(/aborted/)
    await until(() => left === 1)
  })

  test('is refused if it does not begin in time', async () => {
    answer = () => undefined
    const hasty = new CometRpc({ socketPath, timeoutMs: 20 })
    await expect(hasty.open('{}')).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
    hasty.close()
  })
})
