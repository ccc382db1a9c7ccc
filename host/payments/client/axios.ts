import { lookup } from '../../base/lookup.ts'
import { bodyBytes } from './body-bytes.ts'
import { type Answer, Payer, type ShownProof } from './payer.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentOptions } from './payment-options.ts'
import type { PayingWallet } from './wallet.ts'

/** What is used of a request of axios: structural, so that this package does not bring axios along. */
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
  /** Of Node (`res.responseUrl`) or of a page (`responseURL`). */
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

function answerOf(response: AxiosAnswer): Answer {
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

/** With a proof, which nobody but the seller is to see. */
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
 * Has an instance of axios pay: it meets a 402, pays what is asked within the limits of `options`, and sends the
 * request again with the proof. Responses of 2xx are given as they come; all else is a `PaymentError`.
 * @param wallet a wallet client of viem, with an account
 * @returns the instance
 */
export function withPaymentInterceptor<T extends AxiosLike>(
  axios: T,
  wallet: PayingWallet,
  options: PaymentOptions = {},
): T {
  const payer = new Payer(wallet, options)
  const plain = axios.create() as Plain

  /** In place of the adapter, which sends what the other interceptors and transformations have made. */
  const pay = async (config: Config, adapter: unknown): Promise<AxiosAnswer> => {
    const url = new URL(plain.getUri(config), globalThis.location?.href)
    // Of its response the instance does the rest
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
      // Its body is there, or was asked for as a stream
      delivered: (response) => response,
    })
  }

  /** What was paid for requests that were aborted: axios puts an error of its own in place of ours. */
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

/** The same, by the name that clients of x402 v2 have for it. */
export const wrapAxiosWithPayment = withPaymentInterceptor
