import type * as Uws from 'uWebSockets.js'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { lookup } from '../../base/lookup.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import { CertificateWatcher } from './certificate-watcher.ts'
import { STATUS_CODES } from './http-facts.ts'
import { listenFailure } from './listen-failure.ts'
import { MessageBudget } from './message-budget.ts'
import {
  BODY_TIMED_OUT,
  BODY_TOO_LARGE,
  HANDLER_FAILED,
  hostRefusal,
  NO_UPGRADE,
  ORIGIN_REFUSED,
  REQUEST_MALFORMED,
} from './refusal.ts'
import { RequestBody } from './request-body.ts'
import {
  disposeBody,
  type HttpResponse,
  isBodiless,
  type Listen,
  type Server,
  type ServerOptions,
  type WebSocketHandler,
} from './server.ts'
import { SharedSum } from './shared-sum.ts'
import { type ListenOn, makeApp, type RenewableApp, type UwsModule } from './uws-module.ts'
import { type PeerSlot, UwsPeer } from './uws-peer.ts'
import { UwsRequest } from './uws-request.ts'
import { VirtualHosts } from './virtual-hosts.ts'

/**
 * Maximum stream bytes of one write. Under back-pressure, a chunk that exceeds the library's buffer of 16 KiB with
 * its size line may have that line sent twice.
 */
const CORKED_BYTES = 15 * 1024

/** Size of the buffer in which the library collects writes while it reads. */
const CORK_BYTES = 16 * 1024

/** A body that arrives in one chunk of at most this size is used directly; longer ones are charged to their client. */
const WHOLE_CHUNK_BYTES = 4096

/** A larger body is written as the socket drains, instead of being copied whole. */
const WHOLE_BODY_BYTES = 64 * 1024

/** Seconds without a byte, pings included, after which a WebSocket is closed. */
const WEB_SOCKET_IDLE_SECONDS = 120

/** Without the exclusive-port option the library sets SO_REUSEPORT, except for port 0. */
const SHARED_PORT = 0 as Uws.ListenOptions

/** A server of uWebSockets.js. */
export class UwsServer implements Server {
  readonly host: string
  port = 0
  readonly #options: ServerOptions
  readonly #uws: UwsModule
  /**
   * The first app listens. With TLS, each renewal adds an app with the newer certificate and the connections made
   * since.
   */
  readonly #apps: [RenewableApp, ...RenewableApp[]]
  /** Number of pending requests. */
  #requests = 0
  readonly #peers = new Set<UwsPeer>()
  #listener: Uws.us_listen_socket | undefined
  readonly #connections: SharedSum
  readonly #hosts: VirtualHosts
  readonly #messages: MessageBudget
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined
  readonly #watch: CertificateWatcher | undefined

  constructor(
    uws: UwsModule,
    options: ServerOptions,
    watch: CertificateWatcher | undefined,
    connections: SharedSum,
  ) {
    this.#uws = uws
    this.#options = options
    this.host = options.host
    this.#connections = connections
    this.#hosts = options.hosts ?? new VirtualHosts(['*'])
    const { maxBodyBytes, work } = options
    this.#messages = new MessageBudget(maxBodyBytes, work.reserved, work.maxHeldBytes / 2)
    this.#apps = [this.#makeApp()]
    this.#watch = watch
  }

  /** @throws CERTIFICATE_INVALID as `makeApp` */
  #makeApp(): RenewableApp {
    const { tls, webSocket, work } = this.#options
    const app = makeApp(this.#uws, tls)
    app.filter(this.#countConnection)
    // Each route handles the upgrades that the previous ones pass on. Every pattern matches any path but is unique,
    // because an identical pattern would replace the previous one.
    for (const [i, limit] of this.#messages.limits.entries()) {
      app.ws<PeerSlot>(`/*${i}`, this.#upgrades(webSocket, limit))
    }
    app.any('/*', (response, request) => this.#receive(new UwsRequest(response, request, work)))
    return app
  }

  /**
   * Hands new connections to an app with the current certificate files; existing connections are unaffected. The
   * listening socket stays open, so no connection is refused meanwhile.
   * @throws CERTIFICATE_INVALID
   */
  renew(): void {
    const [listening, ...later] = this.#apps
    const app = this.#makeApp()
    listening.addChildAppDescriptor(app.getDescriptor())
    const before = later.at(-1)
    if (before !== undefined) listening.removeChildAppDescriptor(before.getDescriptor())
    this.#apps.push(app)
  }

  readonly #countConnection = (response: Uws.HttpResponse, change: unknown): void => {
    this.#connections.add(Number(change))
    if (this.#connections.total > this.#options.maxConnections) response.close()
  }

  /** With `SHARED_PORT` other threads may listen on the same port; without it a second node cannot. */
  listen(sharing: Uws.ListenOptions): Promise<void> {
    const { host, port } = this.#options
    const [app] = this.#apps
    const listenOn = app.listen.bind(app) as unknown as ListenOn
    return new Promise((resolve, reject) => {
      listenOn(host, port, sharing, (listener) => {
        if (listener === false) {
          listenFailure(host, port).then(reject)
        } else {
          this.#listener = listener
          this.port = this.#uws.us_socket_local_port(listener as Uws.us_socket)
          this.#watch?.start(() => this.renew())
          resolve()
        }
      })
    })
  }

  /** A second call with 0 ends the grace period of the first. */
  close(graceMs: number): Promise<void> {
    if (this.#closing === undefined) this.#closing = this.#drain(graceMs)
    else if (graceMs === 0) this.#onIdle?.()
    return this.#closing
  }

  async #drain(graceMs: number): Promise<void> {
    this.#watch?.close()
    if (this.#listener !== undefined) this.#uws.us_listen_socket_close(this.#listener)
    for (const peer of [...this.#peers]) peer.close(1001, 'server is stopping')
    if (this.#requests > 0) {
      await new Promise<void>((resolve) => {
        const timer = startTimer(resolve, graceMs)
        this.#onIdle = () => {
          stopTimer(timer)
          resolve()
        }
      })
    }
    for (const app of this.#apps) app.close()
  }

  #receive(request: UwsRequest): void {
    const { maxBodyBytes } = this.#options
    this.#requests++
    request.response.onAborted(() => {
      request.abort()
      this.#finish(request)
    })
    if (request.refusal !== undefined) {
      this.#refuseAtOnce(request, request.refusal)
      return
    }
    const refused = hostRefusal(this.#hosts, request.headers.get('host'))
    if (refused !== undefined) {
      this.#refuseAtOnce(request, refused)
      return
    }
    if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) {
      this.#answer(request, BODY_TOO_LARGE)
      return
    }
    request.response.onData((chunk, isLast) => {
      if (request.answered) return
      const isWhole = isLast && request.pieces === undefined
      if (isWhole && chunk.byteLength <= Math.min(WHOLE_CHUNK_BYTES, maxBodyBytes)) {
        // Copied, because the chunk is invalid after this callback returns.
        if (chunk.byteLength > 0) request.body = Buffer.from(new Uint8Array(chunk))
        this.#handle(request)
      } else {
        this.#takePiece(request, chunk, isLast)
      }
    })
  }

  #takePiece(request: UwsRequest, chunk: ArrayBuffer, isLast: boolean): void {
    const { maxBodyBytes, bodyIdleMs } = this.#options
    request.pieces ??= new RequestBody(maxBodyBytes, () => request.account)
    const body = request.pieces
    // Copied, as a whole body is.
    const refusal = chunk.byteLength > 0 ? body.push(new Uint8Array(chunk)) : undefined
    if (refusal !== undefined) {
      stopTimer(request.idle)
      this.#answer(request, refusal.answer, refusal.hangUp)
    } else if (isLast) {
      stopTimer(request.idle)
      request.body = body.bytes
      this.#handle(request)
    } else {
      request.idle ??= startTimer(() => this.#answer(request, BODY_TIMED_OUT, true), bodyIdleMs)
      request.idle.refresh()
      const turn = body.yield()
      if (turn === undefined) return
      request.response.pause()
      void turn.then(() => {
        if (!request.aborted && !request.answered) request.response.resume()
      })
    }
  }

  /**
   * Answers and closes before the library continues to parse at the wrong offset. The library buffers writes until it
   * has read everything, and drops them with the connection, except what exceeds its buffer.
   */
  #refuseAtOnce(request: UwsRequest, answer: HttpResponse): void {
    const { response } = request
    request.answered = true
    response.writeStatus(`${answer.status} ${STATUS_CODES[answer.status] ?? ''}`)
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      response.writeHeader(name, value)
    response.writeHeader('connection', 'close')
    response.end(`${answer.body}\n`.padEnd(CORK_BYTES), true)
    this.#finish(request)
  }

  /** A synchronous response is written synchronously, so pipelined requests are answered in order. */
  #handle(request: UwsRequest): void {
    let answer: HttpResponse | Promise<HttpResponse>
    try {
      answer = this.#options.handler(request)
    } catch {
      answer = HANDLER_FAILED
    }
    if (answer instanceof Promise) {
      const fail = () => this.#answer(request, HANDLER_FAILED)
      answer.then((late) => this.#answer(request, late), fail)
    } else if (this.#begins(request, answer)) {
      // The library has corked the socket during the read.
      this.#write(request, answer, this.#closing !== undefined)
    }
  }

  #answer(request: UwsRequest, answer: HttpResponse, hangUp = false): void {
    if (!this.#begins(request, answer)) return
    const close = hangUp || this.#closing !== undefined
    request.response.cork(() => this.#write(request, answer, close))
  }

  /** Returns false if the client has disconnected. */
  #begins(request: UwsRequest, answer: HttpResponse): boolean {
    request.answered = true
    if (!request.aborted) return true
    void disposeBody(answer)
    return false
  }

  #write(request: UwsRequest, answer: HttpResponse, close: boolean): void {
    const { response } = request
    const { body } = answer
    // The library writes 200 by default.
    if (answer.status !== 200) {
      response.writeStatus(`${answer.status} ${STATUS_CODES[answer.status] ?? ''}`)
    }
    for (const name in answer.headers)
      response.writeHeader(name, lookup(answer.headers, name) as string)
    if (close) response.writeHeader('connection', 'close')
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      if (request.method !== 'HEAD') {
        void this.#stream(request, body, close)
        return
      }
      void disposeBody(answer)
      response.endWithoutBody()
      this.#finish(request)
    } else if (request.method === 'HEAD' || isBodiless(answer)) {
      // With a content length, the library would wait for a body of that length.
      if (!isBodiless(answer)) {
        response.writeHeader('content-length', String(Buffer.byteLength(body)))
      }
      response.endWithoutBody()
      this.#finish(request)
    } else if (body.length <= WHOLE_BODY_BYTES) {
      response.end(body, close)
      this.#finish(request)
    } else {
      this.#sendLarge(request, typeof body === 'string' ? Buffer.from(body) : body)
    }
  }

  #sendLarge(request: UwsRequest, body: Uint8Array): void {
    const { response } = request
    request.hold(body.length)
    const start = response.getWriteOffset()
    const [, done] = response.tryEnd(body, body.length)
    if (done) {
      this.#finish(request)
      return
    }
    response.onWritable((offset) => {
      const [sent, finished] = response.tryEnd(body.subarray(offset - start), body.length)
      if (finished) this.#finish(request)
      return sent
    })
  }

  async #stream(request: UwsRequest, body: AsyncIterable<BorrowedView>, close: boolean) {
    const { response } = request
    // Registered once for the whole response: the library's handler must not be replaced while it runs.
    response.onWritable(() => {
      request.resume()
      return true
    })
    try {
      for await (const { borrowed } of body) {
        if (request.aborted) return
        // Skipped if there are no bytes: an empty write would end the response. The library copies.
        for (let at = 0; at < borrowed.length; at += CORKED_BYTES) {
          let flushed = true
          response.cork(() => {
            flushed = response.write(borrowed.subarray(at, at + CORKED_BYTES))
          })
          if (!flushed) {
            await new Promise<void>((resolve) => {
              request.wake = resolve
            })
          }
          if (request.aborted) return
        }
        // Without yielding, a client that reads as fast as the body is produced would occupy the thread.
        const turn = request.account.yield()
        if (turn !== undefined) await turn
      }
      if (!request.aborted) response.cork(() => response.end(undefined, close))
      this.#finish(request)
    } catch {
      // The status is already sent: only a truncated response can tell the client.
      if (!request.aborted) response.close()
    }
  }

  #finish(request: UwsRequest): void {
    if (!request.finish()) return
    this.#requests--
    if (this.#requests > 0 || this.#onIdle === undefined) return
    // Deferred, so that the response just written is sent before its connection closes.
    setImmediate(this.#onIdle)
    this.#onIdle = undefined
  }

  #upgrades(handler: WebSocketHandler | undefined, limit: number): Uws.WebSocketBehavior<PeerSlot> {
    return {
      maxPayloadLength: limit,
      idleTimeout: WEB_SOCKET_IDLE_SECONDS,
      // Unlimited: the library would drop single messages, whereas `send` closes the connection.
      maxBackpressure: 0,
      upgrade: (response, request, context) => {
        const refused =
          hostRefusal(this.#hosts, request.getHeader('host')) ?? refuseUpgrade(handler, request)
        if (refused !== undefined) {
          const asked = new UwsRequest(response, request, this.#options.work)
          this.#requests++
          return this.#refuseAtOnce(asked, refused)
        }
        if (!this.#messages.reserve(limit)) {
          request.setYield(true)
          return
        }
        response.upgrade<PeerSlot>(
          {},
          request.getHeader('sec-websocket-key'),
          request.getHeader('sec-websocket-protocol'),
          request.getHeader('sec-websocket-extensions'),
          context,
        )
      },
      open: (socket) => {
        const peer = new UwsPeer(socket, this.#options.work)
        socket.getUserData().peer = peer
        this.#peers.add(peer)
        handler?.onOpen(peer)
      },
      message: (socket, message) => {
        const { peer } = socket.getUserData()
        if (peer === undefined || peer.signal.aborted) return
        if (message.byteLength > this.#options.maxBodyBytes) {
          peer.close(1009, 'message too big')
          return
        }
        handler?.onMessage(peer, Buffer.from(new Uint8Array(message)))
      },
      drain: (socket) => socket.getUserData().peer?.drained(),
      close: (socket) => {
        const { peer } = socket.getUserData()
        this.#messages.release(limit)
        // The connection filter counts a connection when it opens, but is not called again after an upgrade.
        this.#connections.add(-1)
        if (peer === undefined) return
        this.#peers.delete(peer)
        peer.detach()
        handler?.onClose(peer)
      },
    }
  }
}

function refuseUpgrade(
  handler: WebSocketHandler | undefined,
  request: Uws.HttpRequest,
): HttpResponse | undefined {
  if (handler === undefined) return NO_UPGRADE
  // The library would parse a body as frames.
  const length = request.getHeader('content-length')
  if (request.getHeader('transfer-encoding') !== '' || (length !== '' && length !== '0')) {
    return REQUEST_MALFORMED
  }
  const origin = request.getHeader('origin')
  if (origin !== '' && handler.origins?.allows(origin) === false) return ORIGIN_REFUSED
  return undefined
}

/**
 * Serves through uWebSockets.js. Unlike node:http, disconnects a client that pipelines a request behind one whose
 * response is not ready: the library has no queue for it.
 */
export function uwsListen(uws: UwsModule): Listen {
  return async (options) => {
    const watch = options.tls && (await CertificateWatcher.open(options.tls))
    const server = new UwsServer(uws, options, watch, SharedSum.make(1))
    await server.listen(uws.LIBUS_LISTEN_EXCLUSIVE_PORT)
    return server
  }
}

/** Serves on a worker thread, beside others on the same port. The caller watches the certificate. */
export async function openSharedPortServer(
  uws: UwsModule,
  options: ServerOptions,
  connections: SharedSum,
): Promise<UwsServer> {
  const server = new UwsServer(uws, options, undefined, connections)
  await server.listen(SHARED_PORT)
  return server
}
