import { bodyBytes } from './body-bytes.ts'
import { type PayableResponse, Payer, type ShownProof } from './payer.ts'
import type { PaymentOptions } from './payment-options.ts'
import type { PayingWallet } from './wallet.ts'

/** Members of a Request that are also `fetch` options. */
function initOf(request: Request): RequestInit {
  const { method, headers, mode, credentials, cache, redirect, referrer, integrity } = request
  const { referrerPolicy, keepalive, signal } = request
  const init = { method, headers, mode, credentials, cache, redirect, referrer, integrity }
  return { ...init, referrerPolicy, keepalive, signal }
}

/** Returns the request as URL and options, repeatable if its body is. */
async function plainRequest(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<{ readonly url: URL; readonly init: RequestInit }> {
  if (!(input instanceof Request)) return { url: new URL(input, globalThis.location?.href), init }
  const url = new URL(input.url)
  const all = { ...initOf(input), ...init }
  if (init.body !== undefined) return { url, init: all }
  const body = await input.arrayBuffer()
  return { url, init: body.byteLength === 0 ? all : { ...all, body } }
}

/** Reads the beginning of a body from a clone. */
async function beginningOf(response: Response, limit: number): Promise<string> {
  const reader = response.clone().body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  while (text.length <= limit) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
  }
  // Not awaited: it settles only after the other clone is cancelled too
  reader.cancel().catch(() => undefined)
  return text.slice(0, limit)
}

function answerOf(response: Response): PayableResponse {
  return {
    status: response.status,
    url: response.url,
    header: (name) => response.headers.get(name),
    text: (limit) => beginningOf(response, limit),
  }
}

/** Returns the response with a body that calls `broken` if it errors. */
function watched(response: Response, broken: () => Promise<void>): Response {
  const { body, status, statusText, headers, url, redirected, type } = response
  if (body === null) return response
  const reader = body.getReader()
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          await broken()
          controller.error(error)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const copy = new Response(stream, { status, statusText, headers })
  const told = Object.entries({ url, redirected, type }).map(([name, value]) => [name, { value }])
  return Object.defineProperties(copy, Object.fromEntries(told))
}

/** Returns the options with the proof. They follow no redirect, since only the seller may see the proof. */
function withProof(init: RequestInit, { header, value }: ShownProof): RequestInit {
  const headers = new Headers(init.headers)
  headers.set(header, value)
  return { ...init, headers, redirect: 'manual', cache: 'no-store' }
}

/**
 * Returns a `fetch` that pays 402 responses within the limits of `options` and sends the request again with the
 * proof. Responses of 2xx are returned unchanged; every other outcome throws a `PaymentError`.
 * @param wallets a viem wallet client with an account, or one for each chain, the preferred ones first
 */
export function wrapFetchWithPayment(
  fetch: typeof globalThis.fetch,
  wallets: PayingWallet | readonly PayingWallet[],
  options: PaymentOptions = {},
): typeof globalThis.fetch {
  const payer = new Payer(wallets, options)
  return async (input, given) => {
    const { url, init } = await plainRequest(input, given)
    const method = (init.method ?? 'GET').toUpperCase()
    const request = {
      method,
      url,
      body: await bodyBytes(init.body),
      signal: init.signal ?? undefined,
    }
    return payer.pay<Response>(request, {
      send: (proof) =>
        proof === undefined ? fetch(url, init) : fetch(proof.url, withProof(init, proof)),
      answer: answerOf,
      delivered: watched,
    })
  }
}
