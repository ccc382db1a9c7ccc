import { type Daemon, startDaemon } from '../../support/node/daemon.ts'
import {
  exchange,
  type RawHeaders,
  type RawResponse,
  requestText,
} from '../../support/node/raw-socket.ts'
import { createApp, type WalletApp } from '../../support/wallet/wallet-node.ts'
import { type HandKey, type HandRequest, payloadText } from './hand-made-request.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what is looked at
  readonly body: any
  readonly text: string
  readonly headers: RawResponse['headers']
}

/** Options of a request in the name of an app. What is signed, by whom, and what is sent can differ. */
export interface AskOptions {
  readonly signedBy?: readonly HandKey[]
  /** The signature header as it is, in place of signatures. Null omits it. */
  readonly signatures?: string | null
  /** Changes the request after it was signed. */
  readonly sent?: (request: HandRequest) => HandRequest
  readonly family?: 'wallet' | 'privy'
  /** Headers of the family, without its prefix. */
  readonly headers?: Readonly<Record<string, string>>
  /** Base URL in the signed text. */
  readonly base?: string
  readonly credentials?: string
  readonly more?: RawHeaders
}

export function basic({ appId, appSecret }: WalletApp): string {
  return `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`
}

/** A dev node with wallets, used with requests that are built and signed here instead of by the SDK. */
export class HandDrivenNode {
  readonly daemon: Daemon
  readonly home: string
  readonly url: string
  readonly port: number
  /** Every response with a status other than 2xx. */
  readonly refusals: string[] = []

  private constructor(daemon: Daemon, home: string) {
    this.daemon = daemon
    this.home = home
    this.url = daemon.ready.wallets as string
    this.port = Number(new URL(this.url).port)
  }

  static async start(home: string, args: readonly string[] = []): Promise<HandDrivenNode> {
    const wallets = ['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0']
    const daemon = await startDaemon({ home, arguments: [...wallets, ...args] })
    return new HandDrivenNode(daemon, home)
  }

  createApp(name: string): Promise<WalletApp> {
    return createApp(this.home, name)
  }

  /** Returns the request in the form that is signed. */
  request(
    app: WalletApp,
    method: HandRequest['method'],
    path: string,
    body: unknown,
    { family = 'wallet', headers = {} }: AskOptions = {},
  ): HandRequest {
    const named = Object.entries({ 'app-id': app.appId, ...headers })
    return {
      method,
      path,
      body: body === undefined ? '' : JSON.stringify(body),
      headers: Object.fromEntries(named.map(([name, value]) => [`${family}-${name}`, value])),
    }
  }

  async ask(
    app: WalletApp,
    method: HandRequest['method'],
    path: string,
    body?: unknown,
    options: AskOptions = {},
  ): Promise<Answer> {
    const { family = 'wallet', signedBy = [], base = this.url, credentials = basic(app) } = options
    const request = this.request(app, method, path, body, options)
    const text = signedBy.length === 0 ? '' : payloadText(base, request)
    const signed = signedBy.map((key) => key.sign(text).toString('base64')).join(',')
    const { signatures = signed === '' ? null : signed, sent = (same) => same, more = [] } = options
    const out = sent(request)
    const headers: RawHeaders = [
      ['authorization', credentials],
      ['content-type', 'application/json'],
      ...Object.entries(out.headers),
      ...(signatures === null ? [] : [[`${family}-authorization-signature`, signatures] as const]),
      ...more,
    ]
    const response = await exchange(this.port, requestText(out.method, out.path, headers, out.body))
    if (response.status >= 300) this.refusals.push(response.body)
    const isJson = response.headers.get('content-type')?.[0]?.startsWith('application/json')
    return {
      status: response.status,
      body: isJson ? JSON.parse(response.body) : undefined,
      text: response.body,
      headers: response.headers,
    }
  }

  /** Returns the created object. @throws Error with the response if it was refused */
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what is looked at
  async make(app: WalletApp, path: string, body: unknown, options: AskOptions = {}): Promise<any> {
    const answer = await this.ask(app, 'POST', path, body, options)
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body
  }
}
