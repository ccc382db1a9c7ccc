import { LockstepError, messageOf } from '../../base/error.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import type { NodeAddress } from './node-address.ts'

/** One request over HTTP. */
export interface HttpExchange {
  readonly address: NodeAddress
  readonly body: string
  /** The method that the request calls, for messages. */
  readonly method: string
  readonly fetch: typeof fetch
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  readonly maxBytes: number
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
  readonly bytes: number
  /** Delay that the node requests before the next request. */
  readonly retryAfterMs: number | undefined
}

/**
 * Sends a request and reads the whole answer.
 * @throws REQUEST_TIMEOUT, RESPONSE_TOO_LARGE, the reason of the signal, errors of fetch
 */
export async function httpExchange(request: HttpExchange): Promise<HttpAnswer> {
  const { address, body, signal, timeoutMs } = request
  if (signal?.aborted) throw endOf(request)
  const ending = new AbortController()
  const end = () => ending.abort()
  signal?.addEventListener('abort', end, { once: true })
  const timer = startTimer(end, timeoutMs)
  try {
    const response = await request.fetch(address.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...address.headers },
      body,
      signal: ending.signal,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    })
    const bytes = await boundedBytes(response, request.maxBytes)
    if (bytes === undefined) {
      throw new LockstepError(
        'RESPONSE_TOO_LARGE',
        `${address.name}: the answer to ${request.method} has more than ${request.maxBytes} bytes`,
      )
    }
    return {
      status: response.status,
      text: new TextDecoder().decode(bytes),
      bytes: bytes.length,
      retryAfterMs: retryAfter(response),
    }
  } catch (thrown) {
    throw ending.signal.aborted ? endOf(request) : thrown
  } finally {
    stopTimer(timer)
    signal?.removeEventListener('abort', end)
  }
}

/** Reads a body, which may be endless. Returns undefined if it has more than `maxBytes`. */
export async function boundedBytes(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return new Uint8Array(0)
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > maxBytes) {
      await reader.cancel().catch(() => {})
      return undefined
    }
    parts.push(value)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? 1000 * seconds : undefined
}

/** Returns why a request ended: its caller aborted it, or it timed out. */
function endOf({ address, method, signal, timeoutMs }: HttpExchange): LockstepError {
  if (signal?.reason instanceof LockstepError) return signal.reason
  const why = signal?.aborted ? 'was given up' : `was not answered within ${timeoutMs / 1000} s`
  return new LockstepError('REQUEST_TIMEOUT', `${address.name}: ${method} ${why}`, {
    hint: 'ask again, ask for less, or ask another node',
  })
}

/** All that Chromium, Firefox and Safari say of a request that failed. */
const OPAQUE = /^(Failed to fetch|NetworkError when attempting to fetch resource\.|Load failed)$/

/**
 * Returns the error of a request without an answer. It does not include fetch's error as a cause, because that may
 * hold the address.
 */
export function networkFailure({ address, method }: HttpExchange, thrown: unknown): LockstepError {
  const { cause } = thrown as { cause?: { code?: unknown } }
  const told = typeof cause?.code === 'string' ? cause.code : messageOf(thrown)
  const reason = OPAQUE.test(told) ? 'the browser received none that it may read' : told
  const text = reason.replaceAll(address.url, address.name)
  return new LockstepError('NODE_UNREACHABLE', `${address.name}: no answer to ${method}: ${text}`, {
    hint: remedy(address.url),
  })
}

/**
 * Returns the remedy. In a page it covers both causes: a browser does not reveal whether nothing answered or CORS
 * forbids reading the answer.
 */
function remedy(url: string): string {
  const { location } = globalThis as { location?: { origin?: string; protocol?: string } }
  if (location?.origin === undefined) return 'start the node, or correct the address'
  const { origin, protocol } = location
  if (url.startsWith(`${origin}/`)) return 'start the node that serves this page, then try again'
  if (protocol === 'https:' && url.startsWith('http:')) {
    return `a browser does not let this https page ask a node over http unless it is on this machine: give the node's https address, or open the page over http`
  }
  const allowed = protocol === 'file:' ? 'null' : origin
  return (
    `start the node, and allow this page to ask it, which browsers require: cors_origins = ["${allowed}"] ` +
    `in [evm] of Lockstep's app.toml, --http.corsdomain '${allowed}' for geth and reth; anvil allows every page`
  )
}
