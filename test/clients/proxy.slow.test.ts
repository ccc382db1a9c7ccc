import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer, request as httpsRequest } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as tlsConnect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { until } from '../support/until.ts'

const NAME = 'rpc.example.org'
const NGINX_CONF = fileURLToPath(new URL('../../tools/proxy/nginx.conf', import.meta.url))

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const hasNginx = spawnSync('nginx', ['-v']).status === 0

let folder: string
let home: string
let daemon: Daemon
let upstream: number
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-proxy-'))
  home = makeHome()
  daemon = await startDaemon({ home, arguments: ['--evm.virtual-hosts', NAME] })
  upstream = Number(new URL(daemon.ready.rpc).port)
  if (!hasOpenssl) return
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`, '-days', '1']
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  expect(spawnSync('openssl', ['req', '-x509', ...curve, ...files, ...subject]).status).toBe(0)
})
afterAll(async () => {
  await daemon?.stop()
  removeHome(home)
  rmSync(folder, { recursive: true, force: true })
})

/** Returns a free port. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** Starts nginx with the documented configuration, with only addresses and paths replaced. */
async function startNginx(): Promise<number> {
  const port = await freePort()
  const conf = readFileSync(NGINX_CONF, 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:8545', `127.0.0.1:${upstream}`)
    .replaceAll(`/etc/ssl/${NAME}`, folder)
  expect(conf).not.toContain('/etc/ssl')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${kind};`,
  )
  const quoted = conf.replace(/(ssl_certificate(?:_key)?) (.*);/g, '$1 "$2";')
  const frame = `daemon off; master_process off; pid nginx.pid; events {}
    http { access_log off; ${paths.join(' ')}\n${quoted}\n}`
  mkdirSync(join(folder, 'nginx'), { recursive: true })
  writeFileSync(join(folder, 'nginx.conf'), frame)
  const args = ['-p', join(folder, 'nginx'), '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
  const nginx: ChildProcess = spawn('nginx', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  onTestFinished(async () => {
    const ended = once(nginx, 'exit')
    nginx.kill('SIGQUIT')
    await ended
  })
  await until(() => answersAt(port))
  return port
}

/** Starts a proxy that forwards only the documented headers and the body. */
async function startOwnProxy(): Promise<number> {
  const server = createServer({
    key: readFileSync(join(folder, 'privkey.pem')),
    cert: readFileSync(join(folder, 'fullchain.pem')),
  })
  server.on('request', (request, response) => {
    const { method, url: path, headers } = request
    const { host } = headers
    const length = headers['content-length']
    const passed = {
      host,
      'content-type': headers['content-type'] ?? '',
      ...(length !== undefined && { 'content-length': length }),
    }
    const onward = httpRequest({ port: upstream, method, path, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  server.on('upgrade', ({ url, headers }, socket) => {
    const onward = connect(upstream, '127.0.0.1', () => {
      const names = ['host', 'upgrade', 'connection', 'sec-websocket-key', 'sec-websocket-version']
      const lines = names.map((name) => `${name}: ${headers[name]}`)
      onward.write(`GET ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      onward.pipe(socket).pipe(onward)
    })
    socket.on('error', () => onward.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

interface Asked {
  readonly status: number | undefined
  readonly body: string
}

/** Sends a request over TLS and checks the certificate. */
function ask(port: number, path: string, body?: string, host = NAME): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      servername: NAME,
      ca: readFileSync(join(folder, 'fullchain.pem')),
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: { host, 'content-type': 'application/json' },
    }
    const request = httpsRequest(options, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode, body: text })
    })
    request.on('error', reject).end(body)
  })
}

const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

const PROXIES = [
  ['nginx', startNginx, hasNginx, 'there is no nginx here'],
  ['a proxy that passes on the documented headers', startOwnProxy, true, ''],
] as const

describe.each(PROXIES)('a node behind TLS by %s', (_, start, isHere, why) => {
  const reason = hasOpenssl
    ? isHere
      ? undefined
      : why
    : 'there is no openssl to make a certificate'

  test.skipIf(reason !== undefined)(
    `serves calls, /ready and subscriptions${reason === undefined ? '' : `: ${reason}`}`,
    async () => {
      const port = await start()
      const answer = await ask(port, '/', BLOCK_NUMBER)
      expect(JSON.parse(answer.body).result).toMatch(/^0x/)
      expect(JSON.parse((await ask(port, '/ready')).body)).toMatchObject({ ready: true })

      const ca = readFileSync(join(folder, 'fullchain.pem'))
      const createConnection = () => tlsConnect({ port, host: '127.0.0.1', servername: NAME, ca })
      const socket = new WebSocket(`wss://${NAME}`, [], { createConnection })
      await once(socket, 'open')
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
      const [reply] = await once(socket, 'message')
      expect(JSON.parse(String(reply)).result).toMatch(/^0x/)
      const [head] = await once(socket, 'message')
      expect(JSON.parse(String(head)).params.result.number).toMatch(/^0x/)
      socket.close()
      await once(socket, 'close')
    },
  )

  test.skipIf(reason !== undefined)('refuses other host names', async () => {
    const port = await start()
    expect((await ask(port, '/', BLOCK_NUMBER, 'evil.example')).status).toBe(403)
  })
})
