import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { BorrowedView } from '../base/borrowed-view.ts'
import { type KeyPair, MIN_VERSION } from './key-pair.ts'
import { KeyPairWatch } from './key-pair-watch.ts'
import { addressError } from './listen-failure.ts'
import { NodePeer } from './node-peer.ts'
import { NodeRequest } from './node-request.ts'
import {
  BODY_TIMED_OUT,
  BODY_TOO_LARGE,
  CODING_UNKNOWN,
  HANDLER_FAILED,
  HEAD_TOO_LARGE,
  HOST_REFUSED,
  LENGTHS_DIFFER,
  NO_UPGRADE,
  ORIGIN_REFUSED,
  REQUEST_MALFORMED,
} from './refusal.ts'
import { RequestBody } from './request-body.ts'
import {
  disposeBody,
  type HttpRequest,
  type HttpResponse,
  isBodiless,
  type Listen,
  SEEN_OVERSIZE,
  type Server,
  type ServerOptions,
  type WebSocketHandler,
} from './server.ts'
import type { ClientAccount } from './work-scheduler.ts'

/** As uWebSockets.js: a connection without a request, or a reader that takes nothing, for this long. */
const IDLE_CONNECTION_MS = 10_000
const STALLED_READER_MS = 30_000

/** Requests that a connection may have unanswered: node:http reads on behind them, as many as a client sends. */
const MAX_PIPELINED = 64

/** A WebSocket that answers no ping between two of these is gone. */
const PING_MS = 60_000

/** The answers to the errors of node:http's parser, by their codes. */
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
  readonly #watch: KeyPairWatch | undefined
  readonly #webSockets: WebSocketServer
  /** Those accepted, without what TLS puts around them, by the client's end. */
  readonly #sockets = new Map<string, Socket>()
  readonly #accounts = new WeakMap<Socket, ClientAccount>()
  readonly #unanswered = new WeakMap<Socket, number>()
  readonly #requests = new Set<http.IncomingMessage>()
  readonly #peers = new Set<NodePeer>()
  readonly #pings: NodeJS.Timeout
  #closing: Promise<void> | undefined

  constructor(options: ServerOptions, watch: KeyPairWatch | undefined) {
    this.#options = options
    this.host = options.host
    this.#watch = watch
    this.#http = createServer(watch?.pair)
    this.#http.maxConnections = options.maxConnections
    this.#http.on('connection', (socket) => {
      const client = clientOf(socket)
      this.#sockets.set(client, socket)
      socket.on('close', () => this.#sockets.delete(client))
    })
    this.#http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      refuseRequest(error, socket)
    })
    this.#http.on('request', (message, response) => this.#receive(message, response))
    this.#webSockets = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxBodyBytes * SEEN_OVERSIZE,
    })
    this.#http.on('upgrade', (message, socket, head) => this.#upgrade(message, socket, head))
    this.#pings = setInterval(() => {
      for (const peer of this.#peers) peer.check()
    }, PING_MS).unref()
  }

  listen(): Promise<void> {
    const { host, port } = this.#options
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => {
        clearInterval(this.#pings)
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

  /** New connections are shown the new certificate; those there are go on. */
  readonly #renew = ({ certificate, key }: KeyPair): void => {
    const server = this.#http as https.Server
    server.setSecureContext({ cert: certificate, key, minVersion: MIN_VERSION })
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#drain(graceMs)
    return this.#closing
  }

  async #drain(graceMs: number): Promise<void> {
    clearInterval(this.#pings)
    this.#watch?.close()
    for (const peer of [...this.#peers]) peer.close(1001, 'server is stopping')
    // node:http's own closing of idle connections passes over those that never sent a request.
    const busy = new Set([...this.#requests].map((message) => clientOf(message.socket)))
    for (const [client, socket] of this.#sockets) if (!busy.has(client)) socket.destroy()
    const force = setTimeout(() => {
      this.#http.closeAllConnections()
      for (const webSocket of this.#webSockets.clients) webSocket.terminate()
    }, graceMs)
    await new Promise<void>((resolve) => this.#http.close(() => resolve()))
    clearTimeout(force)
  }

  #receive(message: http.IncomingMessage, response: http.ServerResponse): void {
    const { maxBodyBytes, bodyIdleMs } = this.#options
    const { socket } = message
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1
    if (unanswered > MAX_PIPELINED) {
      socket.destroy()
      return
    }
    this.#unanswered.set(socket, unanswered)
    const controller = new AbortController()
    this.#requests.add(message)
    response.on('close', () => {
      this.#requests.delete(message)
      this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1)
      if (!response.writableFinished) controller.abort()
    })
    response.setTimeout(0)
    const account = this.#accountOf(message.socket)
    const hangUp = (answer: HttpResponse) => {
      response.setHeader('connection', 'close')
      this.#answer(message, response, answer, account)
    }
    const coding = message.headers['transfer-encoding']
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      message.resume()
      hangUp(CODING_UNKNOWN)
      return
    }
    if (this.#options.hosts?.accepts(message.headers.host) === false) {
      message.resume()
      hangUp(HOST_REFUSED)
      return
    }
    if (Number(message.headers['content-length'] ?? 0) > maxBodyBytes) {
      message.resume()
      this.#answer(message, response, BODY_TOO_LARGE, account)
      return
    }
    const body = new RequestBody(maxBodyBytes, () => account)
    const idle = setTimeout(() => hangUp(BODY_TIMED_OUT), bodyIdleMs)
    message.on('close', () => clearTimeout(idle))
    response.on('close', () => body.release())
    message.on('data', (part: Buffer) => {
      idle.refresh()
      if (response.headersSent) return
      const refusal = body.push(part)
      if (refusal === undefined) {
        const turn = body.turn()
        if (turn === undefined) return
        message.pause()
        void turn.then(() => message.resume())
        return
      }
      clearTimeout(idle)
      if (refusal.hangUp) hangUp(refusal.answer)
      else this.#answer(message, response, refusal.answer, account)
    })
    message.on('end', () => {
      clearTimeout(idle)
      if (response.headersSent) return
      const asked = new NodeRequest(message, body.bytes, controller.signal, account)
      void this.#handle(message, response, asked)
    })
  }

  #accountOf(socket: Socket): ClientAccount {
    const known = this.#accounts.get(socket)
    if (known !== undefined) return known
    const account = this.#options.work.account(socket.remoteAddress ?? '')
    this.#accounts.set(socket, account)
    return account
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
    account: ClientAccount,
  ) {
    const { body } = answer
    if (this.#closing !== undefined) response.setHeader('connection', 'close')
    // A reader that stops taking is dropped; while there is nothing to take there is no limit.
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
    account.hold(bytes)
    response.on('close', () => account.hold(-bytes))
    const length = isBodiless(answer) ? {} : { 'content-length': bytes }
    response.writeHead(answer.status, { ...answer.headers, ...length })
    if (message.method === 'HEAD' || isBodiless(answer)) response.end()
    else response.end(body)
  }

  #upgrade(message: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.delete(clientOf(message.socket))
    const handler = this.#options.webSocket
    const { origin } = message.headers
    if (this.#options.hosts?.accepts(message.headers.host) === false) {
      writeRefusal(socket, HOST_REFUSED)
    } else if (handler === undefined) {
      writeRefusal(socket, NO_UPGRADE)
    } else if (origin !== undefined && handler.origins?.allows(origin) === false) {
      writeRefusal(socket, ORIGIN_REFUSED)
    } else {
      this.#webSockets.handleUpgrade(message, socket, head, (webSocket) => {
        this.#open(handler, webSocket, message.socket)
      })
    }
  }

  #open(handler: WebSocketHandler, webSocket: WebSocket, socket: Socket): void {
    const peer = new NodePeer(webSocket, socket.remoteAddress ?? '', this.#accountOf(socket))
    this.#peers.add(peer)
    webSocket.on('pong', () => {
      peer.alive = true
    })
    webSocket.on('message', (data) => {
      if (peer.signal.aborted) return
      const message = data as Buffer
      if (message.length > this.#options.maxBodyBytes) peer.close(1009, 'message too big')
      else handler.onMessage(peer, message)
    })
    // A broken frame is reported here and then closes the connection.
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => {
      this.#peers.delete(peer)
      peer.detach()
      handler.onClose(peer)
    })
    handler.onOpen(peer)
  }
}

function createServer(pair: KeyPair | undefined): http.Server {
  const options = { keepAliveTimeout: IDLE_CONNECTION_MS, requestTimeout: 0 }
  if (pair === undefined) return http.createServer(options)
  return https.createServer({
    ...options,
    cert: pair.certificate,
    key: pair.key,
    minVersion: MIN_VERSION,
    handshakeTimeout: IDLE_CONNECTION_MS,
  })
}

/** The client's end of a connection: one at a time has it, over TLS too. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/** Answers what node:http could not read. */
function refuseRequest({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') socket.destroy()
  else writeRefusal(socket, UNREADABLE[code ?? ''] ?? REQUEST_MALFORMED)
}

function writeRefusal(socket: Duplex, answer: HttpResponse): void {
  const text = answer.body as string
  socket.end(
    `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}\r\nconnection: close\r\n` +
      `content-type: ${answer.headers?.['content-type']}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  )
}

async function stream(
  response: http.ServerResponse,
  body: AsyncIterable<BorrowedView>,
  account: ClientAccount,
) {
  try {
    response.setTimeout(0)
    for await (const { borrowed } of body) {
      if (response.destroyed) return
      response.setTimeout(STALLED_READER_MS)
      await written(response, borrowed)
      response.setTimeout(0)
      if (response.destroyed) return
      // Else a client that reads as fast as the body comes would have the thread to itself.
      const turn = account.turn()
      if (turn !== undefined) await turn
    }
    response.setTimeout(STALLED_READER_MS)
    response.end()
  } catch {
    // Too late for a status: an answer cut short is what tells the client.
    response.destroy()
  }
}

/** Resolves when the system has taken the bytes, which are not copied before, or the client is gone. */
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

/** Serves through node:http: for systems that uWebSockets.js is not built for, at half its speed. */
export const nodeListen: Listen = async (options) => {
  const watch = options.tls && (await KeyPairWatch.open(options.tls))
  const server = new NodeServer(options, watch)
  await server.listen()
  return server
}
