import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Lent } from '../base/lent.ts'
import { addressError } from './listen-failure.ts'
import {
  BODY_TIMED_OUT,
  BODY_TOO_LARGE,
  HANDLER_FAILED,
  NO_UPGRADE,
  ORIGIN_REFUSED,
} from './refusal.ts'
import {
  type HttpRequest,
  type HttpResponse,
  type Listen,
  MAX_BACKLOG_BYTES,
  type Server,
  type ServerOptions,
  type WebSocketHandler,
  type WebSocketPeer,
} from './server.ts'

/** As uWebSockets.js: a connection without a request, or a reader that takes nothing, for this long. */
const IDLE_CONNECTION_MS = 10_000
const STALLED_READER_MS = 30_000

/** A WebSocket that answers no ping between two of these is gone. */
const PING_MS = 60_000

class NodeRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly remoteAddress: string
  readonly signal: AbortSignal
  readonly body: Uint8Array

  constructor(message: http.IncomingMessage, body: Uint8Array, signal: AbortSignal) {
    const target = message.url ?? '/'
    const mark = target.indexOf('?')
    this.method = message.method ?? 'GET'
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.query = mark < 0 ? '' : target.slice(mark + 1)
    const headers = new Map<string, string>()
    for (const name in message.headers) {
      const value = message.headers[name]
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
    }
    this.headers = headers
    this.remoteAddress = message.socket.remoteAddress ?? ''
    this.signal = signal
    this.body = body
  }
}

class NodePeer implements WebSocketPeer {
  readonly remoteAddress: string
  alive = true
  readonly #socket: WebSocket
  readonly #controller = new AbortController()

  constructor(socket: WebSocket, remoteAddress: string) {
    this.#socket = socket
    this.remoteAddress = remoteAddress
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  send(text: string): void {
    if (this.signal.aborted) return
    this.#socket.send(text)
    if (this.#socket.bufferedAmount > MAX_BACKLOG_BYTES) this.close(1013, 'client too slow')
  }

  close(code: number, reason: string): void {
    if (this.signal.aborted) return
    this.#socket.close(code, reason)
    this.detach()
  }

  /** Ends a connection that answered no ping since the last call, and asks the others again. */
  check(): void {
    if (!this.alive) {
      this.#socket.terminate()
      return
    }
    this.alive = false
    this.#socket.ping()
  }

  detach(): void {
    this.#controller.abort()
  }
}

class NodeServer implements Server {
  readonly host: string
  port = 0
  readonly #options: ServerOptions
  readonly #http: http.Server
  readonly #webSockets: WebSocketServer
  readonly #sockets = new Set<Socket>()
  readonly #requests = new Set<http.IncomingMessage>()
  readonly #peers = new Set<NodePeer>()
  readonly #pings: NodeJS.Timeout
  #closing: Promise<void> | undefined

  constructor(options: ServerOptions) {
    this.#options = options
    this.host = options.host
    this.#http = http.createServer({ keepAliveTimeout: IDLE_CONNECTION_MS, requestTimeout: 0 })
    this.#http.maxConnections = options.maxConnections
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#http.on('request', (message, response) => this.#receive(message, response))
    this.#webSockets = new WebSocketServer({ noServer: true, maxPayload: options.maxBodyBytes })
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
        resolve()
      })
    })
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#drain(graceMs)
    return this.#closing
  }

  async #drain(graceMs: number): Promise<void> {
    clearInterval(this.#pings)
    for (const peer of [...this.#peers]) peer.close(1001, 'server is stopping')
    // node:http's own closing of idle connections passes over those that never sent a request.
    const busy = new Set([...this.#requests].map((message) => message.socket))
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy()
    const force = setTimeout(() => {
      this.#http.closeAllConnections()
      for (const webSocket of this.#webSockets.clients) webSocket.terminate()
    }, graceMs)
    await new Promise<void>((resolve) => this.#http.close(() => resolve()))
    clearTimeout(force)
  }

  #receive(message: http.IncomingMessage, response: http.ServerResponse): void {
    const { maxBodyBytes, bodyIdleMs } = this.#options
    const controller = new AbortController()
    this.#requests.add(message)
    response.on('close', () => {
      this.#requests.delete(message)
      if (!response.writableFinished) controller.abort()
    })
    response.setTimeout(0)
    if (Number(message.headers['content-length'] ?? 0) > maxBodyBytes) {
      message.resume()
      this.#answer(message, response, BODY_TOO_LARGE)
      return
    }
    const parts: Buffer[] = []
    let size = 0
    const idle = setTimeout(() => {
      response.setHeader('connection', 'close')
      this.#answer(message, response, BODY_TIMED_OUT)
    }, bodyIdleMs)
    message.on('close', () => clearTimeout(idle))
    message.on('data', (part: Buffer) => {
      size += part.length
      idle.refresh()
      if (size > maxBodyBytes) {
        clearTimeout(idle)
        parts.length = 0
        if (!response.headersSent) this.#answer(message, response, BODY_TOO_LARGE)
      } else {
        parts.push(part)
      }
    })
    message.on('end', () => {
      clearTimeout(idle)
      if (response.headersSent) return
      const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, size)
      void this.#handle(message, response, new NodeRequest(message, body, controller.signal))
    })
  }

  async #handle(message: http.IncomingMessage, response: http.ServerResponse, asked: HttpRequest) {
    let answer: HttpResponse
    try {
      answer = await this.#options.handler(asked)
    } catch {
      answer = HANDLER_FAILED
    }
    this.#answer(message, response, answer)
  }

  #answer(message: http.IncomingMessage, response: http.ServerResponse, answer: HttpResponse) {
    const { body } = answer
    if (this.#closing !== undefined) response.setHeader('connection', 'close')
    // A reader that stops taking is dropped; while there is nothing to take there is no limit.
    response.on('timeout', () => response.destroy())
    response.setTimeout(STALLED_READER_MS)
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      response.writeHead(answer.status, answer.headers)
      void stream(response, body)
      return
    }
    const length = answer.status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
    response.writeHead(answer.status, { ...answer.headers, ...length })
    if (message.method === 'HEAD' || answer.status === 204) response.end()
    else response.end(body)
  }

  #upgrade(message: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.delete(message.socket)
    const handler = this.#options.webSocket
    const { origin } = message.headers
    if (handler === undefined) {
      refuseUpgrade(socket, NO_UPGRADE)
    } else if (origin !== undefined && handler.acceptsOrigin?.(origin) === false) {
      refuseUpgrade(socket, ORIGIN_REFUSED)
    } else {
      this.#webSockets.handleUpgrade(message, socket, head, (webSocket) => {
        this.#open(handler, webSocket, message.socket.remoteAddress ?? '')
      })
    }
  }

  #open(handler: WebSocketHandler, webSocket: WebSocket, remoteAddress: string): void {
    const peer = new NodePeer(webSocket, remoteAddress)
    this.#peers.add(peer)
    webSocket.on('pong', () => {
      peer.alive = true
    })
    webSocket.on('message', (data) => {
      if (!peer.signal.aborted) handler.onMessage(peer, data as Buffer)
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

function refuseUpgrade(socket: Duplex, answer: HttpResponse): void {
  const text = answer.body as string
  socket.end(
    `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}\r\nconnection: close\r\n` +
      `content-type: ${answer.headers?.['content-type']}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  )
}

async function stream(response: http.ServerResponse, body: AsyncIterable<Lent>) {
  try {
    response.setTimeout(0)
    for await (const { lent } of body) {
      if (response.destroyed) return
      response.setTimeout(STALLED_READER_MS)
      await written(response, lent)
      response.setTimeout(0)
      if (response.destroyed) return
    }
    response.setTimeout(STALLED_READER_MS)
    response.end()
  } catch {
    // Too late for a status: an answer cut short is what tells the client.
    response.destroy()
  }
}

/** Resolves when the system has taken the bytes, which are not copied before, or the client is gone. */
function written(response: http.ServerResponse, lent: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.on('close', done)
    response.write(lent, done)
  })
}

/** Serves through node:http: for systems that uWebSockets.js is not built for, at half its speed. */
export const nodeListen: Listen = async (options) => {
  const server = new NodeServer(options)
  await server.listen()
  return server
}
