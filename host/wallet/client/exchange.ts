import { formatBase64 } from '../../base/base64.ts'
import { delay, timeoutSignal } from '../../base/timer.ts'
import { errorOfAnswer, WalletRequestError } from './wallet-request-error.ts'

/** Credentials: the app with its secret, or one of its agents. An agent reaches one wallet and changes no settings. */
export type CallerOptions =
  | {
      readonly appSecret: string
      readonly agentId?: undefined
      readonly agentSecret?: undefined
    }
  | {
      /** Printed by `lockstep wallet agent create`. */
      readonly agentId: string
      readonly agentSecret: string
      readonly appSecret?: undefined
    }

export type ServiceConnectionOptions = ServiceOptions & CallerOptions

export interface ServiceOptions {
  /**
   * Base URL of the service, such as http://127.0.0.1:8403. Signatures cover it: it must be in `wallets.public-urls`.
   */
  readonly url: string
  readonly appId: string
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Retries of a request that had no answer, or an answer that asks for a retry. Default: 2. */
  readonly retries?: number | undefined
  /** Milliseconds until an attempt is aborted. Default: 60,000. */
  readonly timeout?: number | undefined
  /** Allows sending the secret over plain HTTP to another machine. */
  readonly insecure?: boolean | undefined
}

/** A request without credentials. */
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

/**
 * Returns the base URL without the `/v1` or `/api/v1` that paths begin with.
 * @throws TypeError if it is not a URL or if secrets must not be sent to it
 */
export function baseOf({ url, insecure = false }: ServiceOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(
      `url is "${url}": pass the URL of the wallet service, such as http://127.0.0.1:8403`,
    )
  }
  if (parsed.protocol === 'http:' && !LOOPBACK.test(parsed.hostname) && !insecure) {
    throw new TypeError(
      `url is "${url}", which would send the secret of the app in plain text: use https, or pass insecure: true`,
    )
  }
  return url.replace(/\/+$/, '').replace(/(\/api)?\/v1$/, '')
}

/** Returns the pause in milliseconds: as the response asks, else exponential with jitter. */
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

/** Returns the value of the Authorization header. @throws TypeError unless exactly one of app and agent is given */
function credentialsOf({
  appId,
  appSecret,
  agentId,
  agentSecret,
}: ServiceConnectionOptions): string {
  const agent = agentId === undefined || agentSecret === undefined ? [] : [agentId, agentSecret]
  const app = appSecret === undefined ? [] : [appId, appSecret]
  const [name, secret, ...more] = [...app, ...agent]
  if (name === undefined || secret === undefined || more.length > 0) {
    throw new TypeError('no credentials: pass appSecret, or agentId and agentSecret')
  }
  return `Basic ${formatBase64(new TextEncoder().encode(`${name}:${secret}`))}`
}

/** Sends requests to the service with the credentials of an app or an agent. Retries those that may be retried. */
export class ServiceConnection {
  readonly base: string
  readonly #credentials: string
  readonly #fetch: typeof globalThis.fetch
  readonly #retries: number
  readonly #timeout: number

  constructor(options: ServiceConnectionOptions) {
    this.base = baseOf(options)
    this.#credentials = credentialsOf(options)
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
    this.#retries = options.retries ?? 2
    this.#timeout = options.timeout ?? 60_000
  }

  /** Returns the parsed response. @throws WalletRequestError */
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
        // Not retried: if the first DELETE took effect, the second gets 404.
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
      // A redirect target must not see the secret.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
  }

  #broken(request: Outgoing, cause: unknown, signal?: AbortSignal): WalletRequestError {
    const { idempotencyKey } = request
    const what = `${request.method} ${request.url}`
    if (signal?.aborted === true) {
      return new WalletRequestError('aborted', `${what} was aborted`, { idempotencyKey, cause })
    }
    if (cause instanceof DOMException && cause.name === 'TimeoutError') {
      const text = `${what} had no response within ${this.#timeout} ms`
      return new WalletRequestError('timeout', text, { idempotencyKey, cause })
    }
    const text = cause instanceof Error ? cause.message : String(cause)
    return new WalletRequestError('network_error', `${what} failed: ${text}`, {
      idempotencyKey,
      cause,
    })
  }
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new WalletRequestError('unexpected_answer', 'the response is not JSON', { status, cause })
  }
}
