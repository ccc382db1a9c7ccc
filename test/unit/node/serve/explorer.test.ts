import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CompressedPeers } from '../../../../host/api/server/content-coding.ts'
import type { Server } from '../../../../host/api/server/server.ts'
import { VirtualHosts } from '../../../../host/api/server/virtual-hosts.ts'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { type ExplorerFiles, readExplorer } from '../../../../host/node/serve/explorer-files.ts'
import { explorerHandler, withExplorer } from '../../../../host/node/serve/explorer-handler.ts'
import { openExplorer } from '../../../../host/node/serve/serve-explorer.ts'
import { ServerFixture, TRANSPORTS } from '../../../support/node/server-fixture.ts'

const PAGE = `<!doctype html><meta name="explorer-base" content=""><meta name="explorer-rpc" content="">
<link rel="stylesheet" href="./assets/index-a1.css"><script type="module" src="./assets/index-b2.js"></script>
`
const PLACED = `<!doctype html><meta name="explorer-base" content="/explorer"><meta name="explorer-rpc" content="/">
<link rel="stylesheet" href="/explorer/assets/index-a1.css"><script type="module" src="/explorer/assets/index-b2.js"></script>
`
const SCRIPT = `export const text = '${'a script that packs well '.repeat(4000)}'\n`
const WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])

/** Security headers of every answer under /explorer. */
const SECURE = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self' http: https: ws: wss:; worker-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const IMMUTABLE = 'public, max-age=31536000, immutable'

let folder: string
let files: ExplorerFiles

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'explorer '))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'assets/index-a1.css'), ':root { color: black }\n')
  writeFileSync(join(folder, 'assets/index-b2.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/engine-c3.wasm'), WASM)
  writeFileSync(join(folder, 'assets/index-b2.js.map'), '{}')
  files = (await readExplorer(folder)) as ExplorerFiles
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Sends a path unchanged, since `fetch` and URL both remove dot segments. */
async function ask(
  { port }: Server,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', path, method, headers }, resolve)
    sent.on('error', reject)
    sent.end()
  })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await buffer(response),
  }
}

test('the explorer page is missing if it was not built', async () => {
  expect(await readExplorer(join(folder, 'nothing'))).toBeUndefined()
  expect(await readExplorer(join(folder, 'assets'))).toBeUndefined()
})

describe.each(TRANSPORTS)('the explorer on the %s server', (name) => {
  const servers = new ServerFixture(name)
  const statuses: number[] = []

  function serve(peers: CompressedPeers = 'all'): Promise<Server> {
    statuses.length = 0
    return servers.serve({
      hosts: new VirtualHosts(['localhost']),
      handler: withExplorer(
        ({ method, path }) => ({ status: 200, body: `the node: ${method} ${path}` }),
        explorerHandler(files, peers),
        (status) => statuses.push(status),
      ),
    })
  }

  test.each([
    '/explorer',
    '/explorer/',
    '/explorer?x=1',
    `/explorer/tx/0x${'ab'.repeat(32)}`,
    '/explorer/block/17',
    '/explorer/block/latest/',
    `/explorer/address/0x${'ab'.repeat(20)}?step=12`,
    '/explorer/bundle',
    '/explorer/index.html',
  ])('%s returns the page with the paths of the server', async (path) => {
    const { status, headers, body } = await ask(await serve(), path)
    expect(status).toBe(200)
    expect(body.toString()).toBe(PLACED)
    expect(headers).toMatchObject({
      ...SECURE,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-length': String(PLACED.length),
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
  })

  test.each([
    ['assets/index-a1.css', 'text/css; charset=utf-8'],
    ['assets/index-b2.js', 'text/javascript; charset=utf-8'],
    ['assets/engine-c3.wasm', 'application/wasm'],
  ])('%s returns %s with unlimited caching', async (path, type) => {
    const server = await serve()
    const { status, headers, body } = await ask(server, `/explorer/${path}`)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ ...SECURE, 'content-type': type, 'cache-control': IMMUTABLE })
    expect(headers['content-encoding']).toBeUndefined()
    expect(body).toEqual(Buffer.from(files.get(path)?.bytes ?? []))
  })

  test.each([
    '/explorer/assets',
    '/explorer/assets/',
    '/explorer/assets/index-b2',
    '/explorer/assets/index-b2.js/',
    '/explorer/assets/index-b2.js.map',
    '/explorer//assets/index-b2.js',
    '/explorer/./assets/index-b2.js',
    '/explorer/assets/../index.html',
    '/explorer/../../../../../../etc/passwd',
    '/explorer/..%2f..%2f..%2fetc%2fpasswd',
    '/explorer/%2e%2e/%2e%2e/package.json',
    '/explorer/..\\..\\package.json',
    '/explorer/assets%2findex-b2.js',
    '/explorer/%69ndex.html',
    '/explorer/index.html%00.js',
    '/explorer/tx/0xab/steps',
    '/explorer/tx/a.b',
    '/explorer/TX/0xab',
    '/explorer/__proto__',
    `/explorer/${'a/'.repeat(500)}`,
    `/explorer/assets/${'x'.repeat(3000)}`,
  ])('%s returns 404', async (path) => {
    const { status, headers, body } = await ask(await serve(), path)
    expect([status, body.toString()]).toEqual([
      404,
      'no such page: there are /explorer, /explorer/tx/<hash>, /explorer/block/<number or hash>, ' +
        '/explorer/address/<address>\n',
    ])
    expect(headers).toMatchObject({ ...SECURE, 'content-type': 'text/plain; charset=utf-8' })
    expect(statuses).toEqual([404])
  })

  test.each(['/', '/explorers', '/explorer.html', '/x/explorer', '/Explorer', '/ready'])(
    '%s is left to the node',
    async (path) => {
      const { body } = await ask(await serve(), path)
      expect(body.toString()).toBe(`the node: GET ${path}`)
      expect(statuses).toEqual([])
    },
  )

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is refused', async (method) => {
    const server = await serve()
    for (const path of ['/explorer', '/explorer/assets/index-b2.js', '/explorer/none.x']) {
      const { status, headers, body } = await ask(server, path, { method })
      expect([status, body.toString()]).toEqual([405, 'method not allowed\n'])
      expect(headers.allow).toBe('GET, HEAD')
    }
  })

  test('HEAD returns the headers of GET without a body', async () => {
    const server = await serve()
    const head = { ...SECURE, date: undefined }
    for (const accepted of ['identity', 'gzip', 'br']) {
      for (const path of ['/explorer', '/explorer/assets/index-b2.js', '/explorer/none.x']) {
        const options = { headers: { 'accept-encoding': accepted } }
        const got = await ask(server, path, options)
        const headed = await ask(server, path, { ...options, method: 'HEAD' })
        expect(headed.status).toBe(got.status)
        expect({ ...headed.headers, ...head }).toEqual({ ...got.headers, ...head })
        expect(headed.headers['content-length']).toBe(String(got.body.length))
        expect(headed.body.length).toBe(0)
      }
    }
  })

  test('files are compressed as the client accepts, except short ones', async () => {
    const server = await serve()
    const tags = new Set<string | undefined>()
    for (const [accepted, coding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['br;q=0, *', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
      ['zstd', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const options = { headers: { 'accept-encoding': accepted } }
      const { headers, body } = await ask(server, '/explorer/assets/index-b2.js', options)
      expect(headers['content-encoding']).toBe(coding)
      expect(headers).toMatchObject({ ...SECURE, vary: 'accept-encoding' })
      expect(headers['content-length']).toBe(String(body.length))
      expect(unpack(body).toString()).toBe(SCRIPT)
      if (coding !== undefined) expect(body.length).toBeLessThan(SCRIPT.length / 20)
      tags.add(headers.etag)
      const short = await ask(server, '/explorer/assets/engine-c3.wasm', options)
      expect(short.headers['content-encoding']).toBeUndefined()
    }
    expect(tags.size).toBe(3)
  })

  test('a local client gets uncompressed files if the configuration says so', async () => {
    for (const peers of ['remote', 'none'] as const) {
      const options = { headers: { 'accept-encoding': 'br' } }
      const { headers } = await ask(await serve(peers), '/explorer/assets/index-b2.js', options)
      expect(headers['content-encoding']).toBeUndefined()
    }
  })

  test('a file that the client has cached is not sent again', async () => {
    const server = await serve()
    for (const path of ['/explorer', '/explorer/assets/index-b2.js']) {
      const { headers } = await ask(server, path, { headers: { 'accept-encoding': 'br' } })
      const { etag = '' } = headers
      for (const [condition, status] of [
        [etag, 304],
        [`W/${etag}`, 304],
        [`"other", ${etag}`, 304],
        ['*', 304],
        ['"other"', 200],
        [etag.slice(1, -1), 200],
      ] as const) {
        const answer = await ask(server, path, {
          headers: { 'accept-encoding': 'br', 'if-none-match': condition },
        })
        expect([condition, answer.status]).toEqual([condition, status])
        expect(answer.headers.etag).toBe(etag)
        expect(answer.headers['cache-control']).toBe(headers['cache-control'])
        if (status !== 304) continue
        expect(answer.body.length).toBe(0)
        expect(answer.headers['content-length']).toBeUndefined()
        expect(answer.headers['content-type']).toBeUndefined()
      }
    }
    expect(new Set(statuses)).toEqual(new Set([200, 304]))
  })

  test('a connection remains open after 304 and HEAD', async () => {
    const server = await serve()
    const socket = await servers.connect(server)
    const { headers } = await ask(server, '/explorer')
    socket.send(
      `GET /explorer HTTP/1.1\r\nhost: localhost\r\nif-none-match: ${headers.etag}\r\n\r\n`,
    )
    await socket.until('304 Not Modified')
    socket.send('HEAD /explorer HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await socket.until('200 OK')
    socket.send('GET /last HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await socket.until('the node: GET /last')
  })

  test('a host name that another site assigned to this machine is refused', async () => {
    const server = await serve()
    for (const [host, status] of [
      ['rebound.example', 403],
      [`rebound.example:${server.port}`, 403],
      [`localhost:${server.port}`, 200],
      [`127.0.0.1:${server.port}`, 200],
      ['[::1]', 200],
    ] as const) {
      const answer = await ask(server, '/explorer', { headers: { host } })
      expect([host, answer.status]).toEqual([host, status])
    }
  })
})

describe('the section [explorer]', () => {
  async function served(flags: Record<string, string>, read = async () => files) {
    const sources = { directory: '/nonexistent', environment: {} }
    const { config } = loadConfig({ ...sources, flags: new Map(Object.entries(flags)) })
    const explorer = await openExplorer(config, read)
    const answer = await explorer.handler({
      method: 'GET',
      path: '/explorer',
      headers: new Map(),
    } as never)
    return { ...explorer, status: answer.status, text: String(answer.body) }
  }

  test.each(['127.0.0.1', '::1', 'localhost', '127.9.9.9'])(
    'serves the explorer on %s',
    async (address) => {
      expect(await served({ 'evm.http-address': address })).toMatchObject({
        isServed: true,
        status: 200,
      })
    },
  )

  test.each(['0.0.0.0', '::', '192.0.2.1', 'node.example', 'localhost.example'])(
    'serves the explorer on %s only if public is set',
    async (address) => {
      expect(await served({ 'evm.http-address': address })).toMatchObject({
        isServed: false,
        status: 404,
        text: 'the explorer is served only on a loopback http_address, unless public in [explorer] of app.toml is true\n',
      })
      const flags = { 'evm.http-address': address, 'explorer.public': 'true' }
      expect(await served(flags)).toMatchObject({ isServed: true, status: 200 })
    },
  )

  test('serves it nowhere with enable = false', async () => {
    const text = 'the explorer is off: set enable = true in [explorer] of app.toml\n'
    const off = { 'explorer.enable': 'false', 'explorer.public': 'true' }
    expect(await served(off)).toMatchObject({ isServed: false, status: 404, text })
  })

  test('reports a page that was not built', async () => {
    const missing = 'build/explorer is missing: in a checkout, build it with `npm run explorer`'
    const text = `the explorer was not built: ${missing}\n`
    const unbuilt = async () => undefined as never
    expect(await served({}, unbuilt)).toMatchObject({ isServed: false, status: 404, missing, text })
  })
})
