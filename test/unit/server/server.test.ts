import { createHash } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../host/base/error.ts'
import { chooseTransport } from '../../../host/server/listen.ts'
import type {
  HttpRequest,
  Server,
  ServerOptions,
  WebSocketPeer,
} from '../../../host/server/server.ts'
import { VirtualHosts } from '../../../host/server/virtual-hosts.ts'
import { WorkScheduler } from '../../../host/server/work-scheduler.ts'
import type { SlowReaders } from '../../support/flood/slow-readers.ts'
import { lend } from '../../support/lender.ts'
import { post, RawSocket } from '../../support/node/raw-socket.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

/** A promise with its settlers. */
function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Readers at a time, and the bytes that each is sent: more than the system takes at once. */
const READERS = 32
const STREAMED = randomBytes(6 << 20, 1)
const DIGEST = createHash('sha256').update(STREAMED).digest('hex')

/** The same bytes from run to run. */
function randomBytes(count: number, seed: number): Uint8Array {
  let state = seed
  const words = Uint32Array.from({ length: count / 4 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  })
  return new Uint8Array(words.buffer)
}

/** So much fills the buffers of the system. */
const FILLING = 5 << 20

/**
 * Those bytes: up to FILLING in pieces that fit uWebSockets.js' buffer of 16 KiB, though not with the line
 * before them, then in sizes around those that are written at once. Where the system's buffers end between
 * such a line and its piece, the library sends the line twice: a tenth of the readers sees it when pieces
 * are written as they come (20.51 on Linux).
 */
function* pieces(): Generator<Uint8Array> {
  const sizes = [256 * 1024, 1, 15 * 1024, 15 * 1024 + 1, 64 * 1024 - 1, 0, 16 * 1024, 200_000]
  for (let at = 0, i = 0; at < STREAMED.length; i++) {
    const size = at > FILLING ? (sizes[i % sizes.length] as number) : at === 0 ? 1 : 16 * 1024 - 4
    yield STREAMED.subarray(at, at + size)
    at += size
  }
}

const SLOW_READERS = new URL('../../support/flood/slow-readers.ts', import.meta.url)

/** What readers on another thread say of an answer: its digest, or what is wrong. */
async function readSlowly(port: number): Promise<readonly string[]> {
  const workerData: SlowReaders = { port, count: READERS }
  const worker = new Worker(SLOW_READERS, { workerData })
  const [said] = (await once(worker, 'message')) as [string[]]
  return said
}

describe.each(['uws', 'node'] as const)('%s server', (name) => {
  const cleanups: (() => unknown)[] = []

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
    const { listen } = await chooseTransport(name)
    const server = await listen({
      work: new WorkScheduler(1 << 24),
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 1000,
      bodyIdleMs: 5000,
      maxConnections: 100,
      handler: (request) => ({ status: 200, body: `${request.method} ${text(request.body)}` }),
      ...options,
    })
    cleanups.push(() => server.close(0))
    return server
  }

  async function connect(server: Server): Promise<RawSocket> {
    const socket = await RawSocket.connect(server.port)
    cleanups.push(() => socket.destroy())
    return socket
  }

  const url = (server: Server, path = '/') => `http://127.0.0.1:${server.port}${path}`

  test('passes on method, path, query, headers, body and address', async () => {
    let seen: HttpRequest | undefined
    const server = await serve({
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

  test('answers HEAD without a body and 204 without a length', async () => {
    const server = await serve({
      handler: (request) =>
        request.method === 'OPTIONS' ? { status: 204, body: '' } : { status: 200, body: 'four' },
    })
    const socket = await connect(server)
    socket.send('HEAD / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect((await socket.until('\r\n\r\n')).toLowerCase()).toContain('content-length: 4\r\n')
    socket.send('OPTIONS / HTTP/1.1\r\nhost: x\r\n\r\n')
    const both = await socket.until('\r\n\r\n', 2)
    expect(both.endsWith('\r\n\r\n')).toBe(true)
    expect(both).toContain('HTTP/1.1 204 No Content')
    expect(both).not.toContain('four')
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
  ])('%s: refused, and the connection closed', async (_, headers, status) => {
    let asked = 0
    const server = await serve({
      handler: () => {
        asked++
        return { status: 200, body: '' }
      },
    })
    const socket = await connect(server)
    const body = headers.includes('transfer') ? '5\r\nhello\r\n0\r\n\r\n' : 'hello'
    socket.send(`POST / HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n${body}`)
    expect(await socket.closed()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(asked).toBe(0)
  })

  test('a body in crumbs is given up long before its end, one in pieces is taken', async () => {
    const server = await serve({
      maxBodyBytes: 1 << 20,
      handler: ({ body }) => ({ status: 200, body: String(body.length) }),
    })
    const head = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n'
    const taken = await connect(server)
    taken.send(`${head}${'1\r\nx\r\n'.repeat(4096)}${'80\r\n'}${'y'.repeat(128)}\r\n0\r\n\r\n`)
    expect(await taken.until('\r\n\r\n')).toContain('HTTP/1.1 400 ')
    const pieces = await connect(server)
    pieces.send(`${head}${`80\r\n${'y'.repeat(128)}\r\n`.repeat(5000)}0\r\n\r\n`)
    expect(await pieces.until('640000')).toContain('HTTP/1.1 200 OK')
    const crumbs = await connect(server)
    crumbs.send(head + '1\r\nx\r\n'.repeat(100_000))
    expect(await crumbs.closed()).toContain('request body in too many small pieces')
  })

  test('bodies are counted while they are held, refused where there is no room, and given up', async () => {
    const work = new WorkScheduler(1_400_000)
    const maxBodyBytes = 650_000
    const size = 600_000
    const server = await serve({ work, maxBodyBytes })
    const slow = await connect(server)
    slow.send(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${size + 1}\r\n\r\n`)
    slow.send('x'.repeat(size))
    while (work.load.heldBytes < size) await nextTurn()
    expect(work.load.heldBytes).toBeLessThanOrEqual(maxBodyBytes)
    const refused = await connect(server)
    refused.send(post('z'.repeat(500_000)))
    const answer = await refused.until('evm.max_client_bytes')
    expect(answer).toContain('HTTP/1.1 503 Service Unavailable')
    expect(answer.toLowerCase()).toContain('retry-after: 1')
    const small = await connect(server)
    small.send(post('fits'))
    await small.until('POST fits')
    slow.destroy()
    while (work.load.heldBytes > 0) await nextTurn()
  })

  test('an answer is counted until it has been read', async () => {
    const work = new WorkScheduler(1 << 25)
    const size = 1 << 24
    const server = await serve({ work, handler: () => ({ status: 200, body: 'x'.repeat(size) }) })
    const socket = await connect(server)
    socket.pause()
    socket.send(post(''))
    while (work.load.heldBytes < size) await nextTurn()
    socket.resume()
    await socket.length(size)
    while (work.load.heldBytes > 0) await nextTurn()
  })

  test('a client that pipelines without end behind one answer is disconnected', async () => {
    let asked = 0
    const server = await serve({
      handler: () => {
        asked++
        return new Promise(() => {})
      },
    })
    const socket = await connect(server)
    socket.send('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(1000))
    await socket.closed()
    expect(asked).toBeLessThanOrEqual(64)
  })

  test('requests to other names are refused, upgrades too', async () => {
    const hosts = new VirtualHosts(['localhost', 'node.example'])
    const server = await serve({
      acceptsHost: (host) => hosts.accepts(host),
      webSocket: { onOpen: () => {}, onMessage: () => {}, onClose: () => {} },
    })
    const ask = async (host: string, extra = '') => {
      const socket = await connect(server)
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

  test('refuses a declared or chunked body over the limit and keeps the connection', async () => {
    const server = await serve()
    const socket = await connect(server)
    socket.send(post('x'.repeat(1001)))
    expect(await socket.until('request body too large')).toContain('HTTP/1.1 413 Payload Too Large')
    const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'
    socket.send(`${head}200\r\n${'y'.repeat(512)}\r\n200\r\n${'y'.repeat(512)}\r\n0\r\n\r\n`)
    await socket.until('request body too large', 2)
    socket.send(post('fits'))
    await socket.until('POST fits')
  })

  test('answers 413 to a client that sends 6 MB before it reads', async () => {
    const server = await serve({ maxBodyBytes: 5 * 1024 * 1024 })
    const body = new Uint8Array(6_000_000)
    const response = await fetch(url(server), { method: 'POST', body })
    expect(response.status).toBe(413)
    expect(await response.text()).toBe('request body too large')
  })

  test('takes a body of exactly the limit, in pieces', async () => {
    const server = await serve({ handler: ({ body }) => ({ status: 200, body: `${body.length}` }) })
    const socket = await connect(server)
    const request = post('z'.repeat(1000))
    socket.send(request.slice(0, -300))
    socket.send(request.slice(-300))
    await socket.until('\r\n\r\n1000')
  })

  test('answers 408 to a body that stops and closes', async () => {
    const server = await serve({ bodyIdleMs: 30 })
    const socket = await connect(server)
    socket.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
    const answer = await socket.closed()
    expect(answer).toContain('HTTP/1.1 408 Request Timeout')
    expect(answer).toContain('request body timed out')
  })

  test('answers pipelined requests in order', async () => {
    const server = await serve()
    const socket = await connect(server)
    socket.send(post('one') + post('two') + post('three'))
    const answers = await socket.until('POST three')
    expect(answers.match(/POST (one|two|three)/g)).toEqual(['POST one', 'POST two', 'POST three'])
  })

  test('never answers a pipelined request in the place of another', async () => {
    const first = deferred()
    const server = await serve({
      handler: async ({ body }) => {
        if (text(body) === 'one') await first.promise
        return { status: 200, body: `POST ${text(body)}` }
      },
    })
    const socket = await connect(server)
    socket.send(post('one') + post('two'))
    if (name === 'uws') {
      expect(await socket.closed()).toBe('')
      first.resolve()
      return
    }
    first.resolve()
    const answers = await socket.until('POST two')
    expect(answers.indexOf('POST one')).toBeLessThan(answers.indexOf('POST two'))
  })

  test('answers 400 to what is not HTTP', async () => {
    const server = await serve()
    const socket = await connect(server)
    socket.send('\u0000\u0001 nonsense\r\n\r\n')
    // uWebSockets.js takes it for HTTP/1.0 and says 505.
    expect(await socket.closed()).toMatch(/^HTTP\/1.1 (400|505) /)
  })

  test('answers 500 when the handler throws or rejects', async () => {
    const server = await serve({
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

  test('sends a large body whole to a client that reads late', async () => {
    const body = 'ab'.repeat(8_000_000)
    const server = await serve({ handler: () => ({ status: 200, body }) })
    const socket = await connect(server)
    socket.pause()
    socket.send(post(''))
    await new Promise((resolve) => setImmediate(resolve))
    socket.resume()
    const head = (await socket.until('\r\n\r\n')).indexOf('\r\n\r\n') + 4
    expect((await socket.length(head + body.length)).length).toBe(head + body.length)
  })

  test('asks a stream for the next chunk only as the client reads', async () => {
    let produced = 0
    let returned = false
    const chunk = new Uint8Array(1 << 20).fill(97)
    async function* endless() {
      try {
        for (;;) {
          produced++
          yield { borrowed: chunk }
        }
      } finally {
        returned = true
      }
    }
    const server = await serve({ handler: () => ({ status: 200, body: endless() }) })
    const socket = await connect(server)
    socket.pause()
    socket.send(post(''))
    let before = -1
    await expect
      .poll(
        () => {
          const still = produced === before && produced > 0
          before = produced
          return still
        },
        { interval: 100, timeout: 10_000 },
      )
      .toBe(true)
    // What the kernel buffers on both sides of a loopback connection, and no more.
    expect(produced).toBeLessThan(32)
    socket.destroy()
    await expect.poll(() => returned).toBe(true)
  })

  test('sends a stream as chunks and ends it', async () => {
    async function* parts() {
      yield { borrowed: Buffer.from('[1') }
      yield { borrowed: Buffer.from('') }
      await new Promise((resolve) => setImmediate(resolve))
      yield { borrowed: Buffer.from(',2]') }
    }
    const server = await serve({ handler: () => ({ status: 200, body: parts() }) })
    expect(await (await fetch(url(server))).text()).toBe('[1,2]')
  })

  test('sends pieces that are only borrowed, in order and whole, to readers that are slow', async () => {
    const server = await serve({
      handler: () => ({ status: 200, body: lend(pieces()) }),
    })
    expect(new Set(await readSlowly(server.port))).toEqual(new Set([DIGEST]))
  }, 60_000)

  test('cuts the connection when a stream fails', async () => {
    const read = deferred()
    async function* broken() {
      yield { borrowed: Buffer.from('part') }
      await read.promise
      throw new Error('secret')
    }
    const server = await serve({ handler: () => ({ status: 200, body: broken() }) })
    const socket = await connect(server)
    socket.send(post(''))
    await socket.until('part')
    read.resolve()
    const answer = await socket.closed()
    expect(answer).not.toContain('secret')
    expect(answer.endsWith('0\r\n\r\n')).toBe(false)
  })

  test('aborts the signal when the client goes away', async () => {
    const started = deferred()
    const aborted = deferred()
    const server = await serve({
      handler: ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve())
        started.resolve()
        return new Promise(() => undefined)
      },
    })
    const socket = await connect(server)
    socket.send(post('wait'))
    await started.promise
    socket.destroy()
    await aborted.promise
  })

  test('closes connections over the limit', async () => {
    const server = await serve({ maxConnections: 2 })
    const held = [await connect(server), await connect(server)]
    for (const socket of held) socket.send(post('in'))
    for (const socket of held) await socket.until('POST in')
    const third = await connect(server)
    expect(await third.closed()).toBe('')
    held[0]?.destroy()
    await expect
      .poll(async () => {
        const again = await connect(server)
        again.send(post('again'))
        return again.until('POST again').then(
          () => true,
          () => false,
        )
      })
      .toBe(true)
  })

  test('names the address that is in use', async () => {
    const holder = net.createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => holder.close())
    const { port } = holder.address() as net.AddressInfo
    const failure = await serve({ port }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(LockstepError)
    expect((failure as LockstepError).code).toBe('PORT_IN_USE')
    expect((failure as LockstepError).message).toBe(`127.0.0.1:${port} is already in use`)
  })

  test('does not share its port with a second server', async () => {
    const server = await serve()
    await expect(serve({ port: server.port })).rejects.toMatchObject({ code: 'PORT_IN_USE' })
  })

  test('finishes the request in progress before it closes', async () => {
    const started = deferred()
    const answer = deferred<string>()
    const server = await serve({
      handler: async () => {
        started.resolve()
        return { status: 200, body: await answer.promise }
      },
    })
    const idle = await connect(server)
    const socket = await connect(server)
    socket.send(post('last'))
    await started.promise
    const closing = server.close(10_000)
    await expect(RawSocket.connect(server.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    answer.resolve('done')
    expect(await socket.closed()).toContain('done')
    await closing
    await idle.closed()
  })

  test('does not wait longer than the grace for a request that never ends', async () => {
    const started = deferred()
    const server = await serve({
      handler: () => {
        started.resolve()
        return new Promise(() => undefined)
      },
    })
    const socket = await connect(server)
    socket.send(post('stuck'))
    await started.promise
    await server.close(20)
    expect(await socket.closed()).toBe('')
  })

  describe('WebSocket', () => {
    function echo() {
      const closed = deferred<WebSocketPeer>()
      return {
        closed,
        handler: {
          onOpen: (peer: WebSocketPeer) => peer.send(`hello ${peer.remoteAddress}`),
          onMessage: (peer: WebSocketPeer, message: Uint8Array) => peer.send(text(message)),
          onClose: (peer: WebSocketPeer) => closed.resolve(peer),
        },
      }
    }

    function open(server: Server) {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/any/path`)
      cleanups.push(() => socket.close())
      const messages: string[] = []
      const closed = deferred<CloseEvent>()
      socket.onmessage = (event) => messages.push(String(event.data))
      socket.onclose = (event) => closed.resolve(event)
      return { socket, messages, closed: closed.promise }
    }

    test('exchanges messages on the port of HTTP', async () => {
      const { handler, closed } = echo()
      const server = await serve({ webSocket: handler })
      const client = open(server)
      await expect.poll(() => client.messages).toEqual(['hello 127.0.0.1'])
      client.socket.send('ping')
      client.socket.send(new Uint8Array([0x68, 0x69]))
      await expect.poll(() => client.messages).toEqual(['hello 127.0.0.1', 'ping', 'hi'])
      expect(await (await fetch(url(server))).text()).toBe('GET ')
      client.socket.close()
      expect((await closed.promise).signal.aborted).toBe(true)
    })

    test('takes a message as long as a body, and closes with 1009 on one over the limit', async () => {
      const maxBodyBytes = 5 * 1024 * 1024
      const work = new WorkScheduler(1 << 28)
      const server = await serve({ work, webSocket: echo().handler, maxBodyBytes })
      const client = open(server)
      await expect.poll(() => client.messages.length).toBe(1)
      client.socket.send('x'.repeat(maxBodyBytes))
      await expect.poll(() => client.messages[1]?.length).toBe(maxBodyBytes)
      client.socket.send('x'.repeat(maxBodyBytes + 1))
      expect(await client.closed).toMatchObject({ code: 1009, reason: 'message too big' })
      // Above twice the limit the libraries close by themselves, uWebSockets.js without a close frame.
      const other = open(server)
      await expect.poll(() => other.messages.length).toBe(1)
      other.socket.send('x'.repeat(2 * maxBodyBytes + 1))
      expect([1006, 1009]).toContain((await other.closed).code)
    })

    test('a client that does not read is closed with 1013 where there is no room for its messages', async () => {
      const work = new WorkScheduler(1 << 20)
      let peer: WebSocketPeer | undefined
      const server = await serve({
        work,
        webSocket: {
          onOpen: (opened) => {
            peer = opened
          },
          onMessage: () => {},
          onClose: () => {},
        },
      })
      const socket = await connect(server)
      socket.send(
        'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
          'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      await socket.until('\r\n\r\n')
      socket.pause()
      let sent = 0
      while (peer?.signal.aborted === false) {
        peer.send('x'.repeat(64 * 1024))
        sent++
        await nextTurn()
        expect(sent).toBeLessThan(1000)
      }
      while (work.load.heldBytes > 0) await nextTurn()
    })

    test('closes with the code and reason given', async () => {
      const server = await serve({
        webSocket: { ...echo().handler, onMessage: (peer) => peer.close(1008, 'because') },
      })
      const client = open(server)
      await expect.poll(() => client.messages.length).toBe(1)
      client.socket.send('go')
      expect(await client.closed).toMatchObject({ code: 1008, reason: 'because' })
    })

    test('refuses upgrades where there is no handler or the origin is not allowed', async () => {
      const upgrade = (origin: string) =>
        `GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\norigin: ${origin}\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
      const bare = await connect(await serve())
      bare.send(upgrade('http://a.example'))
      expect(await bare.until('no WebSocket here')).toContain('HTTP/1.1 400 Bad Request')
      const acceptsOrigin = (origin: string) => origin === 'http://a.example'
      const server = await serve({ webSocket: { ...echo().handler, acceptsOrigin } })
      const refused = await connect(server)
      refused.send(upgrade('http://b.example'))
      expect(await refused.until('origin not allowed')).toContain('HTTP/1.1 403 Forbidden')
      const accepted = await connect(server)
      accepted.send(upgrade('http://a.example'))
      await accepted.until('HTTP/1.1 101 Switching Protocols')
    })

    test('drops a client that does not read', async () => {
      const dropped = deferred()
      const opened = deferred<WebSocketPeer>()
      const server = await serve({
        webSocket: {
          onOpen: (peer) => opened.resolve(peer),
          onMessage: () => undefined,
          onClose: () => dropped.resolve(),
        },
      })
      const socket = await connect(server)
      socket.send(
        'GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      const peer = await opened.promise
      socket.pause()
      const megabyte = 'm'.repeat(1 << 20)
      let sent = 0
      while (!peer.signal.aborted && sent < 64) {
        peer.send(megabyte)
        sent++
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(peer.signal.aborted).toBe(true)
      expect(sent).toBeGreaterThan(8)
      socket.destroy()
      await dropped.promise
      peer.send('ignored')
    })

    test('says goodbye when the server stops', async () => {
      const server = await serve({ webSocket: echo().handler })
      const client = open(server)
      await expect.poll(() => client.messages.length).toBe(1)
      const closing = server.close(1000)
      expect((await client.closed).code).toBe(1001)
      await closing
    })

    test('frees the place of a closed connection', async () => {
      const { handler, closed } = echo()
      const server = await serve({ webSocket: handler, maxConnections: 1 })
      const client = open(server)
      await expect.poll(() => client.messages.length).toBe(1)
      client.socket.close()
      await closed.promise
      const next = open(server)
      await expect.poll(() => next.messages.length).toBe(1)
    })
  })
})

test('auto takes the first implementation that loads', async () => {
  expect(['uws', 'node']).toContain((await chooseTransport('auto')).name)
  expect((await chooseTransport('node')).name).toBe('node')
})
