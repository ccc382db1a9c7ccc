import { type MessagePort, Worker } from 'node:worker_threads'
import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { fromPlainError, toPlainError } from '../../../base/plain-error.ts'
import { HANDLER_FAILED } from '../refusal.ts'
import { disposeBody, type HttpResponse, type ServerOptions } from '../server.ts'
import { type ChannelFrame, FrameChannel, type MemoryOwner } from './frame-channel.ts'
import { RemotePeer } from './remote-peer.ts'
import { RemoteRequest } from './remote-request.ts'
import { SentBody } from './sent-body.ts'
import type {
  FromRpcWorker,
  PlainServerOptions,
  RpcWorkerData,
  ToRpcWorker,
} from './thread-messages.ts'

/** A shorter response is not counted while in flight to its thread. */
const SHORT_BYTES = 4 * 1024

export interface RpcWorkerHandleOptions {
  readonly script: URL
  readonly workerData: RpcWorkerData
  /** Ports in `data`, which are transferred. */
  readonly transfer: readonly MessagePort[]
  readonly onNote: (note: unknown) => void
  readonly onQuestion: (question: unknown) => Promise<unknown>
  /** Called when the thread has terminated for any reason. */
  readonly onExit: () => void
  /** Called when the thread terminates before it is closed. Its connections are lost. */
  readonly onDeath: (error: LockstepError) => void
}

/** A body in transmission, and a callback for when it has ended or is cancelled. */
interface Sending {
  readonly body: SentBody
  readonly onEnd: () => void
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The main thread's view of one RPC worker: its requests and WebSockets, which the handlers here answer. */
export class RpcWorkerHandle {
  readonly #options: RpcWorkerHandleOptions
  readonly #worker: Worker
  readonly #channel: FrameChannel<ToRpcWorker, FromRpcWorker>
  readonly #servers = new Map<number, ServerOptions>()
  /** Pending operations by server, in order. */
  readonly #asked = new Map<number, Waiting[]>()
  readonly #requests = new Map<number, RemoteRequest>()
  readonly #peers = new Map<number, RemotePeer>()
  readonly #bodies = new Map<number, Sending>()
  /** Callbacks of streamed messages that are not yet sent, and of peers that have not read everything. */
  readonly #messages = new Map<number, () => void>()
  readonly #rooms = new Map<number, () => void>()
  /** Resolves when the thread has terminated. */
  readonly ended: Promise<void>
  #lastNumber = 0
  #isGone = false
  #isClosing = false

  constructor(options: RpcWorkerHandleOptions) {
    this.#options = options
    this.#worker = new Worker(options.script, {
      workerData: options.workerData,
      transferList: [...options.transfer],
    })
    this.#channel = new FrameChannel(
      (frame, transfer) => this.#worker.postMessage(frame, transfer),
      (message) => this.#hear(message),
    )
    this.#worker.on('message', (frame: ChannelFrame<FromRpcWorker>) => {
      try {
        this.#channel.receive(frame)
      } catch (thrown) {
        // The thread is asked to close its sockets: terminating it with an open socket would abort the process.
        this.#channel.send({ kind: 'end' })
        this.#channel.flush()
        this.#die(thrown)
      }
    })
    this.#worker.on('error', (cause) => this.#die(cause))
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#die(new Error(`it ended with code ${code}`))
        options.onExit()
        resolve()
      })
    })
  }

  /**
   * Serves on a port that the threads share.
   * @throws PORT_IN_USE, CERTIFICATE_INVALID
   */
  listen(server: number, options: ServerOptions, plain: PlainServerOptions): Promise<void> {
    this.#servers.set(server, options)
    return this.#ask(server, { kind: 'listen', server, options: plain })
  }

  /**
   * Reloads a server's certificate from its files. Does nothing if the thread has died: its replacement reads them
   * anyway.
   * @throws CERTIFICATE_INVALID
   */
  async renew(server: number): Promise<void> {
    if (!this.#isGone) await this.#ask(server, { kind: 'renew', server })
  }

  /** Resolves when the server has nothing open, or immediately if the thread has died. */
  async closeServer(server: number, graceMs: number): Promise<void> {
    if (this.#isGone) return
    try {
      await this.#ask(server, { kind: 'close', server, graceMs })
    } catch {
      // The thread died, and the server with it.
    }
    this.#servers.delete(server)
  }

  /** Closes everything at once without waiting, because the process exits. */
  leave(): void {
    this.#channel.send({ kind: 'leave' })
    this.#channel.flush()
  }

  /** Terminates the thread, whose servers must be closed. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#channel.send({ kind: 'end' })
    await this.ended
  }

  #ask(server: number, message: ToRpcWorker): Promise<void> {
    if (this.#isGone)
      return Promise.reject(new LockstepError('SERVER_BUSY', 'the RPC worker has terminated'))
    return new Promise((resolve, reject) => {
      const waiting = this.#asked.get(server) ?? []
      waiting.push({ resolve, reject })
      this.#asked.set(server, waiting)
      this.#channel.send(message)
    })
  }

  #hear(message: FromRpcWorker): void {
    switch (message.kind) {
      case 'request':
        this.#receive(message)
        break
      case 'aborted':
        this.#requests.get(message.request)?.abort()
        this.#requests.delete(message.request)
        break
      case 'pull':
        void this.#bodies.get(message.body)?.body.pull(message.spare)
        break
      case 'drop':
        this.#drop(message.body)
        break
      case 'opened':
        this.#open(message)
        break
      case 'received': {
        const peer = this.#peers.get(message.peer)
        if (peer !== undefined && !peer.signal.aborted) {
          peer.handler.onMessage(peer, message.bytes)
        }
        break
      }
      case 'gone': {
        const peer = this.#peers.get(message.peer)
        this.#peers.delete(message.peer)
        peer?.detach()
        break
      }
      case 'messageOut':
        settle(this.#messages, message.body)
        break
      case 'roomy':
        settle(this.#rooms, message.room)
        break
      case 'question':
        this.#reply(message.number, this.#options.onQuestion(message.question))
        break
      case 'note':
        this.#options.onNote(message.note)
        break
      case 'done': {
        const waiting = this.#asked.get(message.server)?.shift()
        if (message.error === undefined) waiting?.resolve()
        else waiting?.reject(fromPlainError(message.error))
        break
      }
      case 'fault':
        this.#die(fromPlainError(message.error))
        break
    }
  }

  #receive(message: Extract<FromRpcWorker, { kind: 'request' }>): void {
    const options = this.#servers.get(message.server)
    if (options === undefined) return
    const number = message.request
    const request = new RemoteRequest(message, options.work)
    this.#requests.set(number, request)
    const fail = () => this.#answer(number, request, HANDLER_FAILED)
    try {
      const answer = options.handler(request)
      if (answer instanceof Promise) {
        answer.then((late) => this.#answer(number, request, late), fail)
      } else {
        this.#answer(number, request, answer)
      }
    } catch {
      fail()
    }
  }

  #reply(question: number, reply: Promise<unknown>): void {
    reply.then(
      (value) => this.#channel.send({ kind: 'reply', question, reply: value, error: undefined }),
      (thrown) =>
        this.#channel.send({
          kind: 'reply',
          question,
          reply: undefined,
          error: toPlainError(thrown),
        }),
    )
  }

  #answer(number: number, request: RemoteRequest, answer: HttpResponse): void {
    if (request.isAborted || this.#isGone) {
      void disposeBody(answer)
      return
    }
    const { status, headers, body } = answer
    if (typeof body === 'string' || body instanceof Uint8Array) {
      this.#requests.delete(number)
      // A view would transfer its whole underlying buffer.
      const own = typeof body === 'string' ? body : new Uint8Array(body)
      this.#channel.send(
        { kind: 'answer', request: number, status, headers, body: own },
        typeof own === 'string' ? undefined : own.buffer,
      )
      if (body.length > SHORT_BYTES) this.#channel.reserve(request.account, body.length)
      return
    }
    const id = ++this.#lastNumber
    this.#channel.send({ kind: 'streamed', request: number, status, headers, body: id })
    request.answer = this.#send(id, body, request.account, () => this.#requests.delete(number))
  }

  /** Starts sending a body; `holder` reserves the bytes in flight. */
  #send(
    id: number,
    pieces: AsyncIterable<BorrowedView>,
    holder: MemoryOwner,
    onEnd: () => void,
  ): SentBody {
    const finish = (kind: 'bodyEnd' | 'bodyBroken') => {
      this.#bodies.delete(id)
      this.#channel.send({ kind, body: id })
      onEnd()
    }
    const body = new SentBody(pieces, {
      chunk: (bytes) => {
        this.#channel.send({ kind: 'chunk', body: id, bytes }, bytes.buffer)
        this.#channel.reserve(holder, bytes.length)
      },
      end: () => finish('bodyEnd'),
      broken: () => finish('bodyBroken'),
    })
    this.#bodies.set(id, { body, onEnd })
    void body.pull()
    return body
  }

  #drop(id: number): void {
    const sending = this.#bodies.get(id)
    this.#bodies.delete(id)
    sending?.body.drop()
    sending?.onEnd()
  }

  #open(opened: Extract<FromRpcWorker, { kind: 'opened' }>): void {
    const options = this.#servers.get(opened.server)
    if (options?.webSocket === undefined) return
    const number = opened.peer
    const peer = new RemotePeer(opened, options.work, options.webSocket, {
      text: (text, holder) => {
        this.#channel.send({ kind: 'text', peer: number, text })
        this.#channel.reserve(holder, text.length)
      },
      stream: (pieces, holder) => {
        const body = ++this.#lastNumber
        this.#channel.send({ kind: 'message', peer: number, body })
        this.#send(body, pieces, holder, () => undefined)
        return new Promise((resolve) => this.#messages.set(body, resolve))
      },
      room: () => {
        const room = ++this.#lastNumber
        this.#channel.send({ kind: 'room', peer: number, room })
        return new Promise((resolve) => this.#rooms.set(room, resolve))
      },
      hangUp: (code, reason) => this.#channel.send({ kind: 'hangUp', peer: number, code, reason }),
    })
    this.#peers.set(number, peer)
    options.webSocket.onOpen(peer)
  }

  /** Releases the state of a dead thread. Does nothing if the thread was closed. */
  #die(thrown: unknown): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#channel.close()
    const text = `an RPC worker died: ${messageOf(thrown)}`
    const error = new LockstepError('ENGINE_FAULT', text, { cause: thrown })
    for (const request of this.#requests.values()) request.abort()
    for (const { body } of this.#bodies.values()) body.drop()
    for (const peer of this.#peers.values()) peer.detach()
    for (const waiting of [this.#messages, this.#rooms]) {
      for (const number of waiting.keys()) settle(waiting, number)
    }
    for (const waiting of this.#asked.values()) for (const { reject } of waiting) reject(error)
    this.#asked.clear()
    this.#requests.clear()
    this.#bodies.clear()
    this.#peers.clear()
    if (!this.#isClosing) this.#options.onDeath(error)
  }
}

function settle(waiting: Map<number, () => void>, number: number): void {
  const resolve = waiting.get(number)
  waiting.delete(number)
  resolve?.()
}
