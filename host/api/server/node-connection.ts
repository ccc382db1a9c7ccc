import http from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpResponse } from './server.ts'
import type { ClientAccount } from './work-scheduler.ts'

/** Requests that a connection may have unanswered: node:http reads on behind them, as many as a client sends. */
const MAX_PIPELINED = 64

/** A connection to node:http, as its requests share it. */
export class NodeConnection {
  readonly account: ClientAccount
  readonly #socket: Duplex
  #unanswered = 0
  #isLeaving = false
  /** The last request, and what answers it with a refusal. */
  #last: { readonly message: http.IncomingMessage; refuse(answer: HttpResponse): void } | undefined
  /** Written once all requests before it are answered. */
  #refusal: HttpResponse | undefined

  constructor(socket: Duplex, account: ClientAccount) {
    this.#socket = socket
    this.account = account
  }

  /** True when an answer is to end the connection: no further request is taken (RFC 9112, 9.6). */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** True when all requests are answered. */
  get isIdle(): boolean {
    return this.#unanswered === 0
  }

  /** Counts a request that is not answered yet; false if there are too many. */
  begin(message: http.IncomingMessage, refuse: (answer: HttpResponse) => void): boolean {
    this.#last = { message, refuse }
    return ++this.#unanswered <= MAX_PIPELINED
  }

  /** A request is answered. */
  end(): void {
    this.#unanswered--
    if (this.#unanswered === 0 && this.#refusal !== undefined) {
      writeRefusal(this.#socket, this.#refusal)
    }
  }

  leave(): void {
    this.#isLeaving = true
  }

  /**
   * Refuses what comes next, which cannot be read: in the place of the request whose body it is of, or behind the
   * answers to those before it.
   */
  refuse(answer: HttpResponse): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    if (this.#last?.message.complete === false) this.#last.refuse(answer)
    else if (this.#unanswered > 0) this.#refusal = answer
    else writeRefusal(this.#socket, answer)
  }
}

function writeRefusal(socket: Duplex, answer: HttpResponse): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const text = answer.body as string
  socket.end(
    `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}\r\nconnection: close\r\n` +
      `content-type: ${answer.headers?.['content-type']}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  )
}
