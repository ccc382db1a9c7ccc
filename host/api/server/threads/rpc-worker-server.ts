import { parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../../base/error.ts'
import { fromPlainError, toPlainError } from '../../../base/plain-error.ts'
import { startTimer } from '../../../base/timer.ts'
import { Origins } from '../origins.ts'
import { HANDLER_FAILED } from '../refusal.ts'
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  type ServerOptions,
  WAITING_MESSAGE_BYTES,
  type WebSocketHandler,
  type WebSocketPeer,
} from '../server.ts'
import { SharedSum } from '../shared-sum.ts'
import { loadUws } from '../uws-module.ts'
import { openSharedPortServer, type UwsServer } from '../uws-server.ts'
import { VirtualHosts } from '../virtual-hosts.ts'
import { WorkScheduler } from '../work-scheduler.ts'
import { useBatchPolicy } from './batch-policy.ts'
import { ForwardedMessages } from './forwarded-messages.ts'
import { type ChannelFrame, FrameChannel } from './frame-channel.ts'
import { ReceivedBody } from './received-body.ts'
import { joinHeaders } from './remote-request.ts'
import type {
  FromRpcWorker,
  PlainServerOptions,
  RpcWorkerData,
  ToRpcWorker,
} from './thread-messages.ts'

/** A longer body is transferred without a copy. */
const COPIED_BYTES = 4 * 1024

/**
 * Milliseconds in which the short requests of one event-loop iteration are answered at once. This thread produces no
 * blocks, and a deferred response needs a write of its own. The limit exceeds what such requests take, because other
 * threads run meanwhile.
 */
const SHORT_MS = 50

/** The requests that a worker answers by itself. */
export interface WorkerAnswers {
  /** Returns the response, or undefined if the main thread must answer: immediately, or after reading the request. */
  http(request: HttpRequest): HttpResponse | Promise<HttpResponse | undefined> | undefined
  /** Returns false if the message must be forwarded to the main thread. */
  message(peer: WebSocketPeer, message: Uint8Array): boolean
}

export interface WorkerPart {
  /** Creates the handlers of one server. */
  readonly answers?: (work: WorkScheduler) => WorkerAnswers
  /** Releases the resources of the part when the thread terminates. */
  readonly close?: () => void
}

/** A request forwarded to the main thread. */
interface Asked {
  readonly resolve: (response: HttpResponse) => void
  body: ReceivedBody | undefined
}

/** A WebSocket forwarded to the main thread. */
interface PassedPeer {
  readonly number: number
  readonly passed: ForwardedMessages
}

/** A question that awaits its reply. */
interface Question {
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * Serves on this thread on behalf of the main thread, and forwards to it the requests and messages that are not
 * answered here.
 */
export async function runRpcWorker(
  makePart: (data: unknown, line: MainThreadChannel) => WorkerPart | Promise<WorkerPart>,
): Promise<void> {
  if (parentPort === null) throw new TypeError('serveOnThread must run on a worker thread')
  const { data, left } = workerData as RpcWorkerData
  const side = new MainThreadChannel(parentPort, left)
  const [part] = await Promise.all([makePart(data, side), useBatchPolicy()])
  side.begin(part)
}

/** The script's channel to the code that started its thread. */
export class MainThreadChannel {
  #part: WorkerPart = {}
  readonly #port: NonNullable<typeof parentPort>
  readonly #left: SharedArrayBuffer
  readonly #channel: FrameChannel<FromRpcWorker, ToRpcWorker>
  readonly #servers = new Map<number, UwsServer>()
  /** Pending operations by server; they run one after another. */
  readonly #doing = new Map<number, Promise<void>>()
  readonly #asked = new Map<number, Asked>()
  readonly #bodies = new Map<number, ReceivedBody>()
  readonly #peers = new Map<number, WebSocketPeer>()
  readonly #questions = new Map<number, Question>()
  #lastNumber = 0

  constructor(port: NonNullable<typeof parentPort>, left: SharedArrayBuffer) {
    this.#port = port
    this.#left = left
    this.#channel = new FrameChannel(
      (frame, transfer) => port.postMessage(frame, transfer),
      (message) => this.#hear(message),
    )
    // If the thread terminated with an open socket, the process would abort.
    process.on('uncaughtException', (thrown) => this.#fail(thrown))
    process.on('unhandledRejection', (thrown) => this.#fail(thrown))
  }

  /** Messages of the main thread are buffered until the part exists. */
  begin(part: WorkerPart): void {
    this.#part = part
    this.#port.on('message', (frame: ChannelFrame<ToRpcWorker>) => this.#channel.receive(frame))
  }

  post(note: unknown): void {
    this.#channel.send({ kind: 'note', note })
  }

  /** @throws whatever the other side throws */
  ask(question: unknown): Promise<unknown> {
    const number = ++this.#lastNumber
    this.#channel.send({ kind: 'question', number, question })
    return new Promise((resolve, reject) => this.#questions.set(number, { resolve, reject }))
  }

  #fail(thrown: unknown): void {
    this.#channel.send({ kind: 'fault', error: toPlainError(thrown) })
    this.#channel.flush()
    this.#channel.close()
    this.#end()
  }

  /** Closes everything at once. The thread terminates when nothing is open. */
  #end(): void {
    this.#port.close()
    void this.#closeAll()
  }

  async #closeAll(): Promise<void> {
    const servers = [...this.#servers.values()]
    this.#servers.clear()
    await Promise.all(servers.map((server) => server.close(0)))
    this.#part.close?.()
  }

  async #leave(): Promise<void> {
    await this.#closeAll()
    // The library frees its sockets one event-loop iteration after they close.
    startTimer(() => {
      const left = new Int32Array(this.#left)
      Atomics.add(left, 0, 1)
      Atomics.notify(left, 0)
      this.#port.close()
    }, 1)
  }

  #hear(message: ToRpcWorker): void {
    switch (message.kind) {
      case 'listen':
        this.#do(message.server, () => this.#listen(message.server, message.options))
        break
      case 'renew':
        this.#do(message.server, async () => this.#servers.get(message.server)?.renew())
        break
      case 'close':
        this.#do(message.server, async () => {
          await this.#servers.get(message.server)?.close(message.graceMs)
          this.#servers.delete(message.server)
          this.#doing.delete(message.server)
        })
        break
      case 'leave':
        void this.#leave()
        break
      case 'end':
        this.#end()
        break
      case 'answer': {
        const { status, headers, body } = message
        this.#answer(message.request, { status, body, ...(headers !== undefined && { headers }) })
        break
      }
      case 'streamed': {
        const { status, headers, body } = message
        const asked = this.#asked.get(message.request)
        const received = this.#receive(body)
        if (asked === undefined) received.drop()
        else asked.body = received
        const answer = { status, body: received, ...(headers !== undefined && { headers }) }
        this.#answer(message.request, answer)
        break
      }
      case 'reply': {
        const { question, reply, error } = message
        const asked = this.#questions.get(question)
        this.#questions.delete(question)
        if (error === undefined) asked?.resolve(reply)
        else asked?.reject(fromPlainError(error))
        break
      }
      case 'chunk':
        this.#bodies.get(message.body)?.push(message.bytes)
        break
      case 'bodyEnd':
        this.#finish(message.body, 'whole')
        break
      case 'bodyBroken':
        this.#finish(message.body, 'broken')
        break
      case 'text':
        this.#peers.get(message.peer)?.send(message.text)
        break
      case 'message':
        this.#stream(message.peer, message.body)
        break
      case 'room': {
        const { room } = message
        const wait = this.#peers.get(message.peer)?.whenRead() ?? Promise.resolve()
        void wait.then(() => this.#channel.send({ kind: 'roomy', room }))
        break
      }
      case 'hangUp':
        this.#peers.get(message.peer)?.close(message.code, message.reason)
        break
    }
  }

  /** Runs an operation on a server and reports its outcome. */
  #do(server: number, work: () => Promise<void>): void {
    const tell = (error?: unknown) =>
      this.#channel.send({
        kind: 'done',
        server,
        error: error === undefined ? undefined : toPlainError(error),
      })
    const before = this.#doing.get(server) ?? Promise.resolve()
    const done = before.then(work).then(() => tell(), tell)
    this.#doing.set(server, done)
  }

  async #listen(number: number, plain: PlainServerOptions): Promise<void> {
    const uws = await loadUws()
    if (uws === undefined) {
      throw new LockstepError('UNSUPPORTED', 'uWebSockets.js does not load on this system')
    }
    const work = new WorkScheduler(plain.maxHeldBytes, undefined, plain, SHORT_MS)
    const own = this.#part.answers?.(work)
    const { host, port, maxBodyBytes, bodyIdleMs, maxConnections, tls, hosts } = plain
    const options: ServerOptions = {
      work,
      host,
      port,
      maxBodyBytes,
      bodyIdleMs,
      maxConnections,
      ...(tls !== undefined && { tls }),
      ...(hosts !== undefined && { hosts: new VirtualHosts(hosts) }),
      handler: this.#handler(number, plain.answersHttp ? own : undefined),
      ...(plain.webSocket !== undefined && {
        webSocket: this.#webSockets(number, plain.webSocket.origins, own),
      }),
    }
    const server = await openSharedPortServer(uws, options, new SharedSum(plain.connections))
    this.#servers.set(number, server)
  }

  #handler(server: number, own: WorkerAnswers | undefined): HttpHandler {
    const pass = (request: HttpRequest) => this.#pass(server, request)
    return (request) => {
      const answer = own?.http(request)
      if (!(answer instanceof Promise)) return answer ?? pass(request)
      return answer.then((late) => late ?? pass(request))
    }
  }

  #pass(server: number, request: HttpRequest): Promise<HttpResponse> {
    const number = ++this.#lastNumber
    const { method, path, query, remoteAddress } = request
    const headers = joinHeaders(request.headers)
    // Copied: the message would otherwise transfer the whole underlying buffer.
    const body = new Uint8Array(request.body)
    this.#channel.send(
      {
        kind: 'request',
        request: number,
        server,
        method,
        path,
        query,
        headers,
        body,
        remoteAddress,
      },
      body.length > COPIED_BYTES ? body.buffer : undefined,
    )
    return new Promise((resolve) => {
      const asked: Asked = { resolve, body: undefined }
      this.#asked.set(number, asked)
      request.signal.addEventListener('abort', () => {
        this.#channel.send({ kind: 'aborted', request: number })
        asked.body?.drop()
        // The client has disconnected.
        if (this.#asked.delete(number)) resolve(HANDLER_FAILED)
      })
    })
  }

  #answer(request: number, answer: HttpResponse): void {
    const asked = this.#asked.get(request)
    this.#asked.delete(request)
    asked?.resolve(answer)
  }

  #receive(number: number): ReceivedBody {
    const body = new ReceivedBody(
      (spare) => this.#channel.send({ kind: 'pull', body: number, spare }, spare),
      () => {
        this.#bodies.delete(number)
        this.#channel.send({ kind: 'drop', body: number })
      },
    )
    this.#bodies.set(number, body)
    return body
  }

  #finish(number: number, end: 'whole' | 'broken'): void {
    this.#bodies.get(number)?.finish(end)
    this.#bodies.delete(number)
  }

  #stream(number: number, id: number): void {
    const body = this.#receive(id)
    const out = () => {
      this.#channel.send({ kind: 'messageOut', body: id })
    }
    const peer = this.#peers.get(number)
    if (peer === undefined) {
      body.drop()
      out()
      return
    }
    peer.signal.addEventListener('abort', () => body.drop())
    void peer.stream(body).then(out)
  }

  #webSockets(
    server: number,
    origins: readonly string[] | undefined,
    own: WorkerAnswers | undefined,
  ): WebSocketHandler {
    const known = new Map<WebSocketPeer, PassedPeer>()
    return {
      ...(origins !== undefined && { origins: new Origins(origins) }),
      onOpen: (peer) => {
        const number = ++this.#lastNumber
        const passed = new ForwardedMessages(peer, (message, holder) => {
          const bytes = new Uint8Array(message)
          this.#channel.send(
            { kind: 'received', peer: number, bytes },
            bytes.length > COPIED_BYTES ? bytes.buffer : undefined,
          )
          this.#channel.reserve(holder, bytes.length + WAITING_MESSAGE_BYTES)
        })
        known.set(peer, { number, passed })
        this.#peers.set(number, peer)
        const { remoteAddress, canStream } = peer
        this.#channel.send({ kind: 'opened', peer: number, server, remoteAddress, canStream })
      },
      onMessage: (peer, message) => {
        if (own?.message(peer, message) !== true) known.get(peer)?.passed.push(message)
      },
      onClose: (peer) => {
        const gone = known.get(peer)
        if (gone === undefined) return
        known.delete(peer)
        gone.passed.drop()
        this.#peers.delete(gone.number)
        this.#channel.send({ kind: 'gone', peer: gone.number })
      },
    }
  }
}
