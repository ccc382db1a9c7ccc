import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { lookup } from '../../base/lookup.ts'
import { startInterval, startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import { CertificateWatcher } from './certificate-watcher.ts'
import { HttpConnection } from './http-connection.ts'
import { type KeyPair, MIN_VERSION } from './key-pair.ts'
import { addressError } from './listen-failure.ts'
import { NodePeer } from './node-peer.ts'
import { NodeRequest } from './node-request.ts'
import {
  BODY_TIMED_OUT,
  BODY_TOO_LARGE,
  CODING_UNKNOWN,
  HANDLER_FAILED,
  HEAD_TOO_LARGE,
  hostRefusal,
  LENGTHS_DIFFER,
  METHOD_UNKNOWN,
  NO_UPGRADE,
  ORIGIN_REFUSED,
  REQUEST_MALFORMED,
  VERSION_UNKNOWN,
} from './refusal.ts'
import { RequestBody } from './request-body.ts'
import { readTarget } from './request-target.ts'
import {
  disposeBody,
  type HttpRequest,
  type HttpResponse,
  isBodiless,
  type Listen,
  OVERSIZE_FACTOR,
  type Server,
  type ServerOptions,
  type WebSocketHandler,
} from './server.ts'
import { VirtualHosts } from './virtual-hosts.ts'
import type { ClientQuota } from './work-scheduler.ts'

/** As for uWebSockets.js: timeouts of a connection without a request and of a client that stops reading. */
const IDLE_CONNECTION_MS = 10_000
const STALLED_READER_MS = 30_000

/** Maximum fragments of a WebSocket message and packets of a fragment: each takes some hundred bytes of overhead. */
const MAX_FRAGMENTS = 8 * 1024

/** A WebSocket that answers no ping within this time is closed. */
const PING_MS = 60_000

/** Responses to the errors of the node:http parser, by error code. */
const UNREADABLE: Readonly<Record<string, HttpResponse>> = {
  HPE_UNEXPECTED_CONTENT_LENGTH: LENGTHS_DIFFER,
  HPE_INVALID_TRANSFER_ENCODING: CODING_UNKNOWN,
  HPE_HEADER_OVERFLOW: HEAD_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: BODY_TIMED_OUT,
}

class NodeServer implements Server {
  readonly host: string
  port = 0
  readonly #options: ServerOptions
  readonly #http: http.Server
  readonly #watch: CertificateWatcher | undefined
  readonly #webSockets: WebSocketServer
  /** Accepted TCP sockets without their TLS layer, by client address and port. */
  readonly #sockets = new Map<string, Socket>()
  readonly #connections = new WeakMap<Duplex, HttpConnection>()
  readonly #hosts: VirtualHosts
  readonly #requests = new Set<http.IncomingMessage>()
  readonly #peers = new Set<NodePeer>()
  readonly #pings: Timer
  #closing: Promise<void> | undefined

  constructor(options: ServerOptions, watch: CertificateWatcher | undefined) {
    this.#options = options
    this.host = options.host
    this.#watch = watch
    this.#hosts = options.hosts ?? new VirtualHosts(['*'])
    this.#http = createServer(watch?.pair, options.webSocket !== undefined)
    this.#http.maxConnections = options.maxConnections
    this.#http.on('connection', (socket) => {
      const client = clientOf(socket)
      this.#sockets.set(client, socket)
      socket.on('close', () => this.#sockets.delete(client))
    })
    this.#http.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || code === 'ECONNRESET') socket.destroy()
      else
        this.#connectionOf(socket as Socket).refuse(
          lookup(UNREADABLE, code ?? '') ?? REQUEST_MALFORMED,
        )
    })
    this.#http.on('request', (message, response) => this.#receive(message, response))
    this.#http.on('connect', ({ socket }) => this.#connectionOf(socket).refuse(METHOD_UNKNOWN))
    this.#webSockets = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxBodyBytes * OVERSIZE_FACTOR,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_FRAGMENTS,
    })
    const { webSocket } = options
    if (webSocket !== undefined) {
      this.#http.on('upgrade', (message, socket, head) => {
        this.#upgrade(webSocket, message, socket, head)
      })
    }
    this.#pings = startInterval(() => {
      for (const peer of this.#peers) peer.check()
    }, PING_MS).unref()
  }

  listen(): Promise<void> {
    const { host, port } = this.#options
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => {
        stopTimer(this.#pings)
        reject(addressError(host, port, cause))
      }
      this.#http.once('error', fail)
      this.#http.listen({ host, port, exclusive: true }, () => {
        this.#http.off('error', fail)
        this.port = (this.#http.address() as AddressInfo).port
        this.#watch?.start(this.#renew)
        resolve()
      })
    })
  }

  /** New connections use the new certificate; existing ones continue with the old one. */
  readonly #renew = ({ certificate, key }: KeyPair): void => {
    const server = this.#http as https.Server
    server.setSecureContext({ cert: certificate, key, minVersion: MIN_VERSION })
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#drain(graceMs)
    return this.#closing
  }

  async #drain(graceMs: number): Promise<void> {
    stopTimer(this.#pings)
    this.#watch?.close()
    for (const peer of [...this.#peers]) peer.close(1001, 'server is stopping')
    // `closeIdleConnections` of node:http skips connections that have never sent a request.
    const busy = new Set([...this.#requests].map((message) => clientOf(message.socket)))
    for (const [client, socket] of this.#sockets) if (!busy.has(client)) socket.destroy()
    const force = startTimer(() => {
      this.#http.closeAllConnections()
      for (const webSocket of this.#webSockets.clients) webSocket.terminate()
    }, graceMs)
    await new Promise<void>((resolve) => this.#http.close(() => resolve()))
    stopTimer(force)
  }

  #receive(message: http.IncomingMessage, response: http.ServerResponse): void {
    const { maxBodyBytes, bodyIdleMs } = this.#options
    const { socket } = message
    const connection = this.#connectionOf(socket)
    if (connection.isClosing) {
      message.resume()
      return
    }
    const { account } = connection
    const hangUp = (answer: HttpResponse) => {
      connection.closeAfterResponse()
      if (response.headersSent) {
        socket.end()
        return
      }
      response.setHeader('connection', 'close')
      this.#answer(message, response, answer, account)
    }
    if (!connection.begin(message, hangUp)) {
      socket.destroy()
      return
    }
    // Further data on the connection is ignored (RFC 9112, 9.6).
    if (!response.shouldKeepAlive) connection.closeAfterResponse()
    const controller = new AbortController()
    this.#requests.add(message)
    response.on('close', () => {
      this.#requests.delete(message)
      connection.end()
      if (!response.writableFinished) controller.abort()
    })
    response.setTimeout(0)
    const refused = this.#refusalOf(message)
    if (refused !== undefined) {
      message.resume()
      hangUp(refused)
      return
    }
    if (Number(message.headers['content-length'] ?? 0) > maxBodyBytes) {
      message.resume()
      this.#answer(message, response, BODY_TOO_LARGE, account)
      return
    }
    const body = new RequestBody(maxBodyBytes, () => account)
    const idle = startTimer(() => hangUp(BODY_TIMED_OUT), bodyIdleMs)
    message.on('close', () => stopTimer(idle))
    response.on('close', () => body.release())
    message.on('data', (part: Buffer) => {
      idle.refresh()
      if (response.headersSent) return
      const refusal = body.push(part)
      if (refusal === undefined) {
        const turn = body.yield()
        if (turn === undefined) return
        message.pause()
        void turn.then(() => message.resume())
        return
      }
      stopTimer(idle)
      if (refusal.hangUp) hangUp(refusal.answer)
      else this.#answer(message, response, refusal.answer, account)
    })
    message.on('end', () => {
      stopTimer(idle)
      if (response.headersSent) return
      const asked = new NodeRequest(message, body.bytes, controller.signal, account)
      void this.#handle(message, response, asked)
    })
  }

  /** Also reads the target: rewrites the message to origin form and sets Host to the effective authority. */
  #refusalOf(message: http.IncomingMessage): HttpResponse | undefined {
    const { headers, httpVersion } = message
    if (httpVersion !== '1.1' && httpVersion !== '1.0') return VERSION_UNKNOWN
    const coding = headers['transfer-encoding']
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') return CODING_UNKNOWN
    // Its body would end only with the connection (RFC 9112, 6.1).
    if (coding !== undefined && httpVersion === '1.0') return REQUEST_MALFORMED
    const hosts = countHosts(message.rawHeaders)
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return REQUEST_MALFORMED
    const read = readTarget(message.method ?? 'GET', message.url ?? '/')
    if (read === undefined) return REQUEST_MALFORMED
    message.url = read.target
    if (read.authority !== undefined) headers.host = read.authority
    const refused = hostRefusal(this.#hosts, headers.host)
    if (refused !== undefined) return refused
    return headers.upgrade?.toLowerCase() === 'websocket' && this.#options.webSocket === undefined
      ? NO_UPGRADE
      : undefined
  }

  #connectionOf(socket: Socket): HttpConnection {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    const account = this.#options.work.account(socket.remoteAddress ?? '')
    const connection = new HttpConnection(socket, account)
    this.#connections.set(socket, connection)
    return connection
  }

  async #handle(message: http.IncomingMessage, response: http.ServerResponse, asked: HttpRequest) {
    let answer: HttpResponse
    try {
      answer = await this.#options.handler(asked)
    } catch {
      answer = HANDLER_FAILED
    }
    this.#answer(message, response, answer, asked.account)
  }

  #answer(
    message: http.IncomingMessage,
    response: http.ServerResponse,
    answer: HttpResponse,
    account: ClientQuota,
  ) {
    const { body } = answer
    if (this.#closing !== undefined) response.setHeader('connection', 'close')
    // Drops a client that stops reading; no limit applies while there is nothing to read.
    response.on('timeout', () => response.destroy())
    response.setTimeout(STALLED_READER_MS)
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      response.writeHead(answer.status, answer.headers)
      if (message.method !== 'HEAD') {
        void stream(response, body, account)
        return
      }
      void disposeBody(answer)
      response.end()
      return
    }
    const bytes = Buffer.byteLength(body)
    account.reserve(bytes)
    response.on('close', () => account.reserve(-bytes))
    const length = isBodiless(answer) ? {} : { 'content-length': bytes }
    response.writeHead(answer.status, { ...answer.headers, ...length })
    if (message.method === 'HEAD' || isBodiless(answer)) response.end()
    else response.end(body)
  }

  #upgrade(
    handler: WebSocketHandler,
    message: http.IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    this.#sockets.delete(clientOf(message.socket))
    const connection = this.#connectionOf(message.socket)
    const { origin } = message.headers
    const refused = this.#refusalOf(message)
    if (refused !== undefined) {
      connection.refuse(refused)
    } else if (hasBody(message) || !connection.isIdle) {
      connection.refuse(REQUEST_MALFORMED)
    } else if (origin !== undefined && handler.origins?.allows(origin) === false) {
      connection.refuse(ORIGIN_REFUSED)
    } else {
      this.#webSockets.handleUpgrade(message, socket, head, (webSocket) => {
        this.#open(handler, webSocket, message.socket)
      })
    }
  }

  #open(handler: WebSocketHandler, webSocket: WebSocket, socket: Socket): void {
    const peer = new NodePeer(
      webSocket,
      socket.remoteAddress ?? '',
      this.#connectionOf(socket).account,
    )
    this.#peers.add(peer)
    webSocket.on('pong', () => {
      peer.alive = true
    })
    // Runs before the library's own listener.
    socket.prependListener('data', (packet: Buffer) => {
      // The library continues reading until the client has answered the close frame.
      if (!peer.receive(packet.length)) setImmediate(() => webSocket.terminate())
    })
    webSocket.on('message', (data) => {
      if (peer.signal.aborted) return
      const message = data as Buffer
      peer.finishMessage(message.length)
      if (message.length > this.#options.maxBodyBytes) peer.close(1009, 'message too big')
      else handler.onMessage(peer, message)
    })
    // A malformed frame emits an error here and then closes the connection.
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => {
      this.#peers.delete(peer)
      peer.detach()
      handler.onClose(peer)
    })
    handler.onOpen(peer)
  }
}

function createServer(pair: KeyPair | undefined, takesWebSockets: boolean): http.Server {
  const options = {
    keepAliveTimeout: IDLE_CONNECTION_MS,
    requestTimeout: 0,
    // Checked below, with the other faults of a request.
    requireHostHeader: false,
    // Needs Node 22.21, 24.9 or later. Other upgrade requests are served as plain requests (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ headers }: http.IncomingMessage) =>
      takesWebSockets && headers.upgrade?.toLowerCase() === 'websocket',
  }
  if (pair === undefined) return http.createServer(options)
  return https.createServer({
    ...options,
    cert: pair.certificate,
    key: pair.key,
    minVersion: MIN_VERSION,
    handshakeTimeout: IDLE_CONNECTION_MS,
  })
}

/** Returns the client's address and port, which identify a connection, also over TLS. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** Returns true if a body follows, which neither library reads for an upgrade. */
function hasBody({ headers }: http.IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

async function stream(
  response: http.ServerResponse,
  body: AsyncIterable<BorrowedView>,
  account: ClientQuota,
) {
  try {
    response.setTimeout(0)
    for await (const { borrowed } of body) {
      if (response.destroyed) return
      response.setTimeout(STALLED_READER_MS)
      await written(response, borrowed)
      response.setTimeout(0)
      if (response.destroyed) return
      // Without yielding, a client that reads as fast as the body is produced would occupy the thread.
      const turn = account.yield()
      if (turn !== undefined) await turn
    }
    response.setTimeout(STALLED_READER_MS)
    response.end()
  } catch {
    // The status is already sent: only a truncated response can tell the client.
    response.destroy()
  }
}

/** Resolves when the system has accepted the bytes, which are not copied, or the client has disconnected. */
function written(response: http.ServerResponse, borrowed: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.on('close', done)
    response.write(borrowed, done)
  })
}

/** Serves through node:http, for systems without a uWebSockets.js build. Half its speed. */
export const nodeListen: Listen = async (options) => {
  const watch = options.tls && (await CertificateWatcher.open(options.tls))
  const server = new NodeServer(options, watch)
  await server.listen()
  return server
}
