import http from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpResponse } from './server.ts'
import type { ClientQuota } from './work-scheduler.ts'

/** Maximum unanswered requests of a connection: node:http itself reads as many as a client pipelines. */
const MAX_PIPELINED = 64

/** The state of a node:http connection that its requests share. */
export class HttpConnection {
  readonly account: ClientQuota
  readonly #socket: Duplex
  #unanswered = 0
  #isLeaving = false
  /** The last request, with the function that answers it with a refusal. */
  #last: { readonly message: http.IncomingMessage; refuse(answer: HttpResponse): void } | undefined
  /** Written after all earlier requests are answered. */
  #refusal: HttpResponse | undefined

  constructor(socket: Duplex, account: ClientQuota) {
    this.#socket = socket
    this.account = account
  }

  /** True if a response will close the connection: no further request is accepted (RFC 9112, 9.6). */
  get isClosing(): boolean {
    return this.#isLeaving
  }

  /** True if all requests are answered. */
  get isIdle(): boolean {
    return this.#unanswered === 0
  }

  /** Counts an unanswered request; returns false if there are too many. */
  begin(message: http.IncomingMessage, refuse: (answer: HttpResponse) => void): boolean {
    this.#last = { message, refuse }
    return ++this.#unanswered <= MAX_PIPELINED
  }

  /** Marks a request as answered. */
  end(): void {
    this.#unanswered--
    if (this.#unanswered === 0 && this.#refusal !== undefined) {
      writeRefusal(this.#socket, this.#refusal)
    }
  }

  closeAfterResponse(): void {
    this.#isLeaving = true
  }

  /**
   * Rejects unreadable input: answers the request whose body it belongs to, or follows the responses to earlier
   * requests.
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
