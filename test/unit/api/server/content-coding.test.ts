import { request as httpRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type CompressedPeers,
  compressedHandler,
} from '../../../../host/api/server/content-coding.ts'
import { chooseTransport } from '../../../../host/api/server/listen.ts'
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  Server,
} from '../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import type { BorrowedView } from '../../../../host/base/borrowed-view.ts'
import { lend } from '../../../support/lender.ts'

const DECODE = {
  gzip: promisify(zlib.gunzip),
  zstd: promisify(zlib.zstdDecompress),
} as const

const WORK = new WorkScheduler(1 << 24)

const LONG = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ pc: i, op: 'ADD' })))
const JSON_HEADERS = { 'content-type': 'application/json' }

/** Returns a request from a remote client (192.0.2.0/24 is reserved for documentation). */
function requestWith(fields: {
  readonly accepted?: string
  readonly remoteAddress?: string
  readonly method?: string
}): HttpRequest {
  return {
    method: fields.method ?? 'POST',
    path: '/',
    query: '',
    headers: new Map(
      fields.accepted === undefined ? [] : [['accept-encoding', fields.accepted] as const],
    ),
    body: new Uint8Array(),
    remoteAddress: fields.remoteAddress ?? '192.0.2.7',
    signal: new AbortController().signal,
    account: WORK.account('192.0.2.7'),
  }
}

async function codingOf(
  asked: Parameters<typeof requestWith>[0],
  { body = LONG, peers = 'remote' }: { body?: HttpResponse['body']; peers?: CompressedPeers } = {},
): Promise<string | undefined> {
  const handler = compressedHandler(() => ({ status: 200, headers: JSON_HEADERS, body }), peers)
  const { headers, body: sent } = await handler(requestWith(asked))
  // Read the stream to its end, so that nothing stays open.
  if (typeof sent !== 'string' && !(sent instanceof Uint8Array)) for await (const _ of sent);
  return headers?.['content-encoding']
}

describe('response compression', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['br', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['zstd;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['zstd;q=0, *', 'gzip'],
    ['gzip;q=0, zstd;q=0.0', undefined],
    ['gzip;q=nonsense', undefined],
  ])('for Accept-Encoding: %s is %s', async (accepted, coding) => {
    expect(await codingOf(accepted === undefined ? {} : { accepted })).toBe(coding)
  })

  test.each([
    ['127.0.0.1', false],
    ['127.8.9.10', false],
    ['::1', false],
    ['0000:0000:0000:0000:0000:0000:0000:0001', false],
    ['::ffff:127.0.0.1', false],
    ['0000:0000:0000:0000:0000:ffff:7f00:0001', false],
    ['10.0.0.1', true],
    ['192.0.2.127', true],
    ['2001:db8::1', true],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', true],
    ['7f00::1', true],
    ['2001:db8:ffff:7f00::1', true],
    // A client that has disconnected.
    ['', true],
  ])('for a client at %s is %s', async (remoteAddress, isCompressed) => {
    const asked = { accepted: 'gzip', remoteAddress }
    expect(await codingOf(asked)).toBe(isCompressed ? 'gzip' : undefined)
    expect(await codingOf(asked, { peers: 'all' })).toBe('gzip')
    expect(await codingOf(asked, { peers: 'none' })).toBeUndefined()
  })

  test('skips short responses and responses to HEAD', async () => {
    const accepted = 'gzip'
    expect(await codingOf({ accepted }, { body: 'x'.repeat(1399) })).toBeUndefined()
    expect(await codingOf({ accepted }, { body: 'x'.repeat(1400) })).toBe('gzip')
    expect(await codingOf({ accepted, method: 'HEAD' })).toBeUndefined()
  })

  test('keeps other headers and adds Vary', async () => {
    const headers = { ...JSON_HEADERS, vary: 'origin' }
    const handler = compressedHandler(() => ({ status: 200, headers, body: LONG }), 'remote')
    const { body, ...head } = await handler(requestWith({ accepted: 'zstd' }))
    expect(head).toEqual({
      status: 200,
      headers: { ...JSON_HEADERS, 'content-encoding': 'zstd', vary: 'origin, accept-encoding' },
    })
    for await (const _ of body as AsyncIterable<BorrowedView>);
  })
})

describe.each(['uws', 'node'] as const)('compression over %s', (name) => {
  const servers: Server[] = []

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close(100)
  })

  async function serve(handler: HttpHandler): Promise<number> {
    const { listen } = await chooseTransport(name)
    const server = await listen({
      work: WORK,
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 1 << 20,
      bodyIdleMs: 5000,
      maxConnections: 100,
      handler: compressedHandler(handler, 'all'),
    })
    servers.push(server)
    return server.port
  }

  function ask(port: number, accepted: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { 'accept-encoding': accepted }
      const options = { host: '127.0.0.1', port, method: 'POST', headers, agent: false }
      httpRequest(options, resolve).on('error', reject).end('{}')
    })
  }

  test.each(['gzip', 'zstd'] as const)(
    'sends text, bytes and streams whole with %s',
    async (coding) => {
      const streamed = Array.from({ length: 100 }, (_, i) => Buffer.from(LONG.slice(i)))
      const bodies: Record<string, [HttpResponse['body'], Buffer]> = {
        text: [LONG, Buffer.from(LONG)],
        bytes: [Buffer.from(LONG), Buffer.from(LONG)],
        stream: [lend(streamed), Buffer.concat(streamed)],
        'short stream': [lend([Buffer.from('[]')]), Buffer.from('[]')],
        'empty stream': [lend([]), Buffer.alloc(0)],
      }
      for (const [what, [body, expected]] of Object.entries(bodies)) {
        const port = await serve(() => ({ status: 200, headers: JSON_HEADERS, body }))
        const response = await ask(port, coding)
        expect([what, response.statusCode, response.headers['content-encoding']]).toEqual([
          what,
          200,
          coding,
        ])
        const packed = await buffer(response)
        expect((await DECODE[coding](packed)).equals(expected)).toBe(true)
        if (expected.length > 10_000) expect(packed.length).toBeLessThan(expected.length / 5)
      }
    },
  )

  test('truncates a stream that fails, so that no client takes it for complete', async () => {
    async function* broken(): AsyncGenerator<BorrowedView> {
      for (let i = 0; i < 50; i++) yield { borrowed: Buffer.from(LONG) }
      throw new Error('lost')
    }
    const port = await serve(() => ({ status: 200, body: broken() }))
    await expect(ask(port, 'gzip').then(buffer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('cancels the stream of a client that disconnects', async () => {
    let pieces = 0
    let onReturned = () => {}
    const returned = new Promise<void>((resolve) => {
      onReturned = resolve
    })
    async function* endless(): AsyncGenerator<BorrowedView> {
      try {
        // Incompressible bytes, so that the socket fills.
        for (;;) {
          pieces++
          yield { borrowed: crypto.getRandomValues(new Uint8Array(65_536)) }
        }
      } finally {
        onReturned()
      }
    }
    const port = await serve(() => ({ status: 200, body: endless() }))
    const response = await ask(port, 'zstd')
    response.once('data', () => response.destroy())
    await returned
    expect(pieces).toBeLessThan(1000)
  })
})
