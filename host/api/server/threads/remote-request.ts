import type { HeaderFields, HttpRequest } from '../server.ts'
import type { ClientQuota, WorkScheduler } from '../work-scheduler.ts'
import type { SentBody } from './sent-body.ts'
import type { PlainRequest } from './thread-messages.ts'

/** Serializes request headers as one string of lines, which crosses threads faster than a map. */
export function joinHeaders(headers: HeaderFields): string {
  let text = ''
  for (const [name, value] of headers) text += `${name}\n${value}\n`
  return text
}

function splitHeaders(text: string): ReadonlyMap<string, string> {
  const parts = text.split('\n')
  const headers = new Map<string, string>()
  for (let i = 0; i + 1 < parts.length; i += 2)
    headers.set(parts[i] as string, parts[i + 1] as string)
  return headers
}

/** A request whose socket another thread owns. */
export class RemoteRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: Uint8Array
  readonly remoteAddress: string
  /** The response body, if it is streamed. */
  answer: SentBody | undefined
  readonly #work: WorkScheduler
  readonly #plainHeaders: string
  #headers: ReadonlyMap<string, string> | undefined
  #account: ClientQuota | undefined
  #controller: AbortController | undefined
  #isAborted = false

  constructor(request: PlainRequest, work: WorkScheduler) {
    this.method = request.method
    this.path = request.path
    this.query = request.query
    this.body = request.body
    this.remoteAddress = request.remoteAddress
    this.#plainHeaders = request.headers
    this.#work = work
  }

  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= splitHeaders(this.#plainHeaders)
    return this.#headers
  }

  get account(): ClientQuota {
    this.#account ??= this.#work.account(this.remoteAddress)
    return this.#account
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isAborted) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get isAborted(): boolean {
    return this.#isAborted
  }

  /** Aborts the request, because the client has disconnected or the owning thread has died. */
  abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
    this.answer?.drop()
  }
}
