import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../../host/api/server/server.ts'
import { VirtualHosts } from '../../../../host/api/server/virtual-hosts.ts'
import type { BorrowedView } from '../../../../host/base/borrowed-view.ts'
import { makeGate } from '../../../support/gate.ts'
import { postText } from '../../../support/node/raw-socket.ts'
import { SERVERS, ServerFixture, text, url } from '../../../support/node/server-fixture.ts'
import { until } from '../../../support/until.ts'

describe.each(SERVERS)('requests on the %s server', (name) => {
  const servers = new ServerFixture(name)

  test('are passed on with method, path, query, headers, body and address', async () => {
    let seen: HttpRequest | undefined
    const server = await servers.serve({
      handler: (request) => {
        seen = request
        return { status: 201, headers: { 'x-answer': 'yes' }, body: request.remoteAddress }
      },
    })
    const response = await fetch(url(server, '/a/b?c=d'), {
      method: 'POST',
      body: 'hello',
      headers: { 'X-Ask': 'Maybe' },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-answer')).toBe('yes')
    expect(await response.text()).toBe('127.0.0.1')
    expect(seen?.method).toBe('POST')
    expect(seen?.path).toBe('/a/b')
    expect(seen?.query).toBe('c=d')
    expect(seen?.headers.get('x-ask')).toBe('Maybe')
    expect(text(seen?.body ?? new Uint8Array())).toBe('hello')
  })

  test('have an empty query if the target has none', async () => {
    const seen: string[] = []
    const server = await servers.serve({
      handler: ({ query }) => {
        seen.push(query)
        return { status: 200, body: '' }
      },
    })
    for (const path of ['/a', '/a?', '/a?b']) await fetch(url(server, path))
    expect(seen).toEqual(['', '', 'b'])
  })

  test('have both values of a repeated header', async () => {
    const seen: (string | undefined)[] = []
    const server = await servers.serve({
      handler: ({ headers }) => {
        seen.push(headers.get('x-payment'))
        return { status: 200, body: 'seen' }
      },
    })
    const socket = await servers.connect(server)
    socket.send('GET / HTTP/1.1\r\nhost: x\r\nX-Payment: first\r\nx-payment: second\r\n\r\n')
    await socket.until('seen')
    expect(seen).toEqual(['first, second'])
  })

  test('are answered for HEAD without a body and for 204 without a length', async () => {
    const server = await servers.serve({
      handler: (request) =>
        request.method === 'OPTIONS' ? { status: 204, body: '' } : { status: 200, body: 'four' },
    })
    const socket = await servers.connect(server)
    socket.send('HEAD / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect((await socket.until('\r\n\r\n')).toLowerCase()).toContain('content-length: 4\r\n')
    socket.send('OPTIONS / HTTP/1.1\r\nhost: x\r\n\r\n')
    const both = await socket.until('\r\n\r\n', 2)
    expect(both.endsWith('\r\n\r\n')).toBe(true)
    expect(both).toContain('HTTP/1.1 204 No Content')
    expect(both).not.toContain('four')
  })

  test('end the stream of a response to HEAD', async () => {
    let ended = 0
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: { borrowed: Buffer.from('piece') }, done: false }),
        return: async () => {
          ended++
          return { value: undefined, done: true }
        },
      }),
    } as AsyncIterable<BorrowedView>
    const server = await servers.serve({
      handler: ({ path }) => ({ status: 200, body: path === '/long' ? body : 'short' }),
    })
    const socket = await servers.connect(server)
    socket.send('HEAD /long HTTP/1.1\r\nhost: x\r\n\r\n')
    await socket.until('\r\n\r\n')
    await until(() => ended === 1)
    socket.send('GET /short HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await socket.until('short')).not.toContain('piece')
  })

  test.each([
    ['two Content-Lengths that differ', 'content-length: 5\r\ncontent-length: 6', 400],
    ['Content-Lengths that differ in one line', 'content-length: 5, 6', 400],
    ['a transfer coding that is none', 'transfer-encoding: xchunked', 501],
    ['a transfer coding that is not served', 'transfer-encoding: gzip, chunked', 501],
    [
      'both Content-Length and Transfer-Encoding',
      'transfer-encoding: chunked\r\ncontent-length: 5',
      400,
    ],
  ])('with %s are refused and the connection is closed', async (_, headers, status) => {
    let asked = 0
    const server = await servers.serve({
      handler: () => {
        asked++
        return { status: 200, body: '' }
      },
    })
    const socket = await servers.connect(server)
    const body = headers.includes('transfer') ? '5\r\nhello\r\n0\r\n\r\n' : 'hello'
    socket.send(`POST / HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n${body}`)
    expect(await socket.closed()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(asked).toBe(0)
  })

  test('may have 16 kB of headers, enough for a smart wallet payment and cookies, and no more', async () => {
    const server = await servers.serve({
      handler: ({ headers }) => ({ status: 200, body: String(headers.get('x-long')?.length) }),
    })
    const ask = async (length: number) => {
      const socket = await servers.connect(server)
      socket.send(`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'a'.repeat(length)}\r\n\r\n`)
      return await socket.until('\r\n\r\n')
    }
    expect(await ask(16_000)).toMatch(/^HTTP\/1.1 200 /)
    expect(await ask(17_000)).toMatch(/^HTTP\/1.1 431 /)
  })

  test('of a client that pipelines endlessly behind one response end with a disconnect', async () => {
    let asked = 0
    const server = await servers.serve({
      handler: () => {
        asked++
        return new Promise(() => {})
      },
    })
    const socket = await servers.connect(server)
    socket.send('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(1000))
    await socket.closed()
    expect(asked).toBeLessThanOrEqual(64)
  })

  test('to other host names are refused, including upgrades', async () => {
    const server = await servers.serve({
      hosts: new VirtualHosts(['localhost', 'node.example']),
      webSocket: { onOpen: () => {}, onMessage: () => {}, onClose: () => {} },
    })
    const ask = async (host: string, extra = '') => {
      const socket = await servers.connect(server)
      socket.send(`GET / HTTP/1.1\r\nhost: ${host}\r\n${extra}\r\n`)
      return (await socket.until('\r\n\r\n')).slice(9, 12)
    }
    const upgrade =
      'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n' +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    const port = `:${server.port}`
    for (const host of [
      'localhost',
      `localhost${port}`,
      `LOCALHOST${port}`,
      `127.0.0.1${port}`,
      `[::1]${port}`,
      '192.0.2.7',
      `Node.Example${port}`,
      `localhost.${port}`,
    ]) {
      expect([host, await ask(host)]).toEqual([host, '200'])
      expect([host, await ask(host, upgrade)]).toEqual([host, '101'])
    }
    for (const host of [
      'evil.example',
      `rebound.evil.example${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ]) {
      expect([host, await ask(host)]).toEqual([host, '403'])
      expect([host, await ask(host, upgrade)]).toEqual([host, '403'])
    }
  })

  test('are answered in order if they are pipelined', async () => {
    const server = await servers.serve()
    const socket = await servers.connect(server)
    socket.send(postText('one') + postText('two') + postText('three'))
    if (name === 'threads') {
      // An RPC worker does not answer in the same event loop turn.
      expect(await socket.closed()).toBe('')
      return
    }
    const answers = await socket.until('POST three')
    expect(answers.match(/POST (one|two|three)/g)).toEqual(['POST one', 'POST two', 'POST three'])
  })

  test('are never answered in the place of another', async () => {
    const first = makeGate()
    const server = await servers.serve({
      handler: async ({ body }) => {
        if (text(body) === 'one') await first.opened
        return { status: 200, body: `POST ${text(body)}` }
      },
    })
    const socket = await servers.connect(server)
    socket.send(postText('one') + postText('two'))
    if (name !== 'node') {
      expect(await socket.closed()).toBe('')
      first.open()
      return
    }
    first.open()
    const answers = await socket.until('POST two')
    expect(answers.indexOf('POST one')).toBeLessThan(answers.indexOf('POST two'))
  })

  test('are answered 400 if they are not HTTP', async () => {
    const server = await servers.serve()
    const socket = await servers.connect(server)
    socket.send('\u0000\u0001 nonsense\r\n\r\n')
    // uWebSockets.js parses it as HTTP/1.0 and answers 505.
    expect(await socket.closed()).toMatch(/^HTTP\/1.1 (400|505) /)
  })

  test('are answered 500 when the handler throws or rejects', async () => {
    const server = await servers.serve({
      handler: ({ path }) => {
        if (path === '/now') throw new Error('secret')
        return Promise.reject(new Error('secret'))
      },
    })
    for (const path of ['/now', '/later']) {
      const response = await fetch(url(server, path))
      expect(response.status).toBe(500)
      expect(await response.text()).toBe('internal error')
    }
  })
})
