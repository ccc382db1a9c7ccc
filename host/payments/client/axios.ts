import { lookup } from '../../base/lookup.ts'
import { bodyBytes } from './body-bytes.ts'
import { type PayableResponse, Payer, type ShownProof } from './payer.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentOptions } from './payment-options.ts'
import type { PayingWallet } from './wallet.ts'

/** The request members used here. Structural, so that this package does not depend on axios. */
interface Config {
  readonly method?: string
  readonly data?: unknown
  readonly headers?: object
  readonly signal?: { readonly aborted?: boolean }
  readonly fetchOptions?: object
  adapter?: unknown
}

interface AxiosAnswer {
  readonly status: number
  readonly data: unknown
  readonly headers: unknown
  /** Final URL: `res.responseUrl` in Node, `responseURL` in a page. */
  readonly request?: {
    readonly res?: { readonly responseUrl?: string }
    readonly responseURL?: string
  }
}

/** An instance of axios. */
export interface AxiosLike {
  readonly interceptors: {
    readonly request: { use(fulfilled: never): unknown }
    readonly response: { use(fulfilled: undefined, rejected: never): unknown }
  }
  create(config?: never): unknown
}

/** An instance without interceptors. */
interface Plain {
  request(config: object): Promise<AxiosAnswer>
  getUri(config: object): string
}

async function textOf(data: unknown, limit: number): Promise<string> {
  if (typeof data === 'string') return data.slice(0, limit)
  const bytes = await bodyBytes(data)
  return new TextDecoder().decode(bytes?.subarray(0, limit))
}

function answerOf(response: AxiosAnswer): PayableResponse {
  const { status, headers, request, data } = response
  return {
    status,
    url: request?.res?.responseUrl ?? request?.responseURL ?? '',
    header: (name) => {
      const value = lookup(headers as Readonly<Record<string, unknown>>, name)
      return typeof value === 'string' ? value : null
    },
    text: (limit) => textOf(data, limit),
  }
}

/** Returns the request with its proof. It follows no redirect, since only the seller may see the proof. */
function withProof(config: Config, { header, value, url }: ShownProof): object {
  return {
    ...config,
    url,
    baseURL: undefined,
    params: undefined,
    headers: { ...config.headers, [header]: value },
    maxRedirects: 0,
    fetchOptions: { ...config.fetchOptions, redirect: 'manual' },
  }
}

/**
 * Adds an interceptor to an axios instance that pays 402 responses within the limits of `options` and sends the
 * request again with the proof. Responses of 2xx are returned unchanged; every other outcome throws a `PaymentError`.
 * @param wallets a viem wallet client with an account, or one for each chain, the preferred ones first
 * @returns the instance
 */
export function withPaymentInterceptor<T extends AxiosLike>(
  axios: T,
  wallets: PayingWallet | readonly PayingWallet[],
  options: PaymentOptions = {},
): T {
  const payer = new Payer(wallets, options)
  const plain = axios.create() as Plain

  /** Replaces the adapter, so that it sends what other interceptors and transformations have produced. */
  const pay = async (config: Config, adapter: unknown): Promise<AxiosAnswer> => {
    const url = new URL(plain.getUri(config), globalThis.location?.href)
    // The outer instance transforms the response
    const bare = {
      ...config,
      adapter,
      transformRequest: [],
      transformResponse: [],
      validateStatus: null,
    }
    const request = {
      method: (config.method ?? 'GET').toUpperCase(),
      url,
      body: await bodyBytes(config.data),
      signal: config.signal instanceof AbortSignal ? config.signal : undefined,
    }
    return payer.pay<AxiosAnswer>(request, {
      send: (proof) => plain.request(proof === undefined ? bare : withProof(bare, proof)),
      answer: answerOf,
      // The body is complete, or was requested as a stream
      delivered: (response) => response,
    })
  }

  /** Payment errors of aborted requests, which axios replaces by its own error. */
  const aborted = new WeakMap<object, PaymentError>()
  const use = (config: Config): Config => {
    const { adapter } = config
    config.adapter = async (sent: Config) => {
      try {
        return await pay(sent, adapter)
      } catch (error) {
        if (error instanceof PaymentError) aborted.set(sent, error)
        throw error
      }
    }
    return config
  }
  const tell = (error: { readonly config?: object } | undefined) =>
    Promise.reject(aborted.get(error?.config ?? {}) ?? error)
  axios.interceptors.request.use(use as never)
  axios.interceptors.response.use(undefined, tell as never)
  return axios
}

/** Same function, under its name in x402 v2 clients. */
export const wrapAxiosWithPayment = withPaymentInterceptor
