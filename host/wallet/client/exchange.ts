import { formatBase64 } from '../../base/base64.ts'
import { delay, timeoutSignal } from '../../base/timer.ts'
import { errorOfAnswer, WalletRequestError } from './wallet-request-error.ts'

/** Who asks: the app by its secret, or an agent of it, which reaches one wallet and changes nothing. */
export type CallerOptions =
  | {
      readonly appSecret: string
      readonly agentId?: undefined
      readonly agentSecret?: undefined
    }
  | {
      /** As `lockstep wallet agent create` printed it. */
      readonly agentId: string
      readonly agentSecret: string
      readonly appSecret?: undefined
    }

export type ConnectionOptions = ServiceOptions & CallerOptions

export interface ServiceOptions {
  /** Base of the service, as http://127.0.0.1:8403. What is signed names it: one of its `wallets.public-urls`. */
  readonly url: string
  readonly appId: string
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How often a request is sent again that had no answer, or one that says to come later: 2. */
  readonly retries?: number | undefined
  /** Milliseconds until an attempt is given up: 60,000. */
  readonly timeout?: number | undefined
  /** Sends the secret over plain HTTP to another machine too. */
  readonly insecure?: boolean | undefined
}

/** A request as it goes out, but for credentials. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly idempotencyKey?: string | undefined
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 8_000

/** The base without what the paths begin with. @throws TypeError for what is no URL that secrets may be sent to */
export function baseOf({ url, insecure = false }: ServiceOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(
      `url is "${url}": pass that of the wallet service, as http://127.0.0.1:8403`,
    )
  }
  if (parsed.protocol === 'http:' && !LOOPBACK.test(parsed.hostname) && !insecure) {
    throw new TypeError(
      `url is "${url}", which would carry the secret of the app in plain text: use https, or pass insecure: true`,
    )
  }
  return url.replace(/\/+$/, '').replace(/(\/api)?\/v1$/, '')
}

/** Milliseconds to wait, as an answer asks for, or twice as long as before. */
function pauseBefore(attempt: number, response: Response | undefined): number {
  const milliseconds = Number(response?.headers.get('retry-after-ms') ?? Number.NaN)
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN)
  const asked = Number.isNaN(milliseconds) ? seconds * 1000 : milliseconds
  if (asked >= 0) return Math.min(asked, 60_000)
  return Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE) * (0.75 + Math.random() / 4)
}

function mayComeAgain(response: Response): boolean {
  if (response.headers.get('x-should-retry') === 'false') return false
  return [408, 429].includes(response.status) || response.status >= 500
}

/** What stands in the Authorization header. @throws TypeError for what is neither an app nor an agent, or both */
function credentialsOf({ appId, appSecret, agentId, agentSecret }: ConnectionOptions): string {
  const agent = agentId === undefined || agentSecret === undefined ? [] : [agentId, agentSecret]
  const app = appSecret === undefined ? [] : [appId, appSecret]
  const [name, secret, ...more] = [...app, ...agent]
  if (name === undefined || secret === undefined || more.length > 0) {
    throw new TypeError('who asks is not said: pass appSecret, or agentId and agentSecret')
  }
  return `Basic ${formatBase64(new TextEncoder().encode(`${name}:${secret}`))}`
}

/** The service, asked with the credentials of an app or an agent. */
export class Exchange {
  readonly base: string
  readonly #credentials: string
  readonly #fetch: typeof globalThis.fetch
  readonly #retries: number
  readonly #timeout: number

  constructor(options: ConnectionOptions) {
    this.base = baseOf(options)
    this.#credentials = credentialsOf(options)
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
    this.#retries = options.retries ?? 2
    this.#timeout = options.timeout ?? 60_000
  }

  /** The parsed answer. @throws WalletRequestError */
  async send(request: Outgoing, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= this.#retries
      let response: Response | undefined
      try {
        response = await this.#attempt(request, signal)
        const text = await response.text()
        if (response.ok) return parse(text, response.status)
        if (isLast || !mayComeAgain(response)) {
          throw errorOfAnswer(response.status, text, request.idempotencyKey)
        }
      } catch (thrown) {
        if (thrown instanceof WalletRequestError) throw thrown
        // A DELETE that was carried out is answered with 404 the next time
        if (isLast || signal?.aborted === true || request.method === 'DELETE') {
          throw this.#broken(request, thrown, signal)
        }
      }
      await delay(pauseBefore(attempt, response), { signal }).catch((thrown) => {
        throw this.#broken(request, thrown, signal)
      })
    }
  }

  #attempt({ method, url, headers, body }: Outgoing, signal?: AbortSignal): Promise<Response> {
    const timeout = timeoutSignal(this.#timeout)
    return this.#fetch(url, {
      method,
      headers: {
        ...headers,
        authorization: this.#credentials,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Whoever an answer leads to is not to see the secret
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
  }

  #broken(request: Outgoing, cause: unknown, signal?: AbortSignal): WalletRequestError {
    const { idempotencyKey } = request
    const what = `${request.method} ${request.url}`
    if (signal?.aborted === true) {
      return new WalletRequestError('aborted', `${what} was given up`, { idempotencyKey, cause })
    }
    if (cause instanceof DOMException && cause.name === 'TimeoutError') {
      const text = `${what} had no answer within ${this.#timeout} ms`
      return new WalletRequestError('timeout', text, { idempotencyKey, cause })
    }
    const text = cause instanceof Error ? cause.message : String(cause)
    return new WalletRequestError('network_error', `${what} broke off: ${text}`, {
      idempotencyKey,
      cause,
    })
  }
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new WalletRequestError('unexpected_answer', 'the answer is not JSON', { status, cause })
  }
}
