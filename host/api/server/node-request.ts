import type http from 'node:http'
import { lookup } from '../../base/lookup.ts'
import type { HttpRequest } from './server.ts'
import type { ClientQuota } from './work-scheduler.ts'

/** An HTTP request with its complete body. */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly remoteAddress: string
  readonly signal: AbortSignal
  readonly body: Uint8Array
  readonly account: ClientQuota

  constructor(
    message: http.IncomingMessage,
    body: Uint8Array,
    signal: AbortSignal,
    account: ClientQuota,
  ) {
    const target = message.url ?? '/'
    const mark = target.indexOf('?')
    this.method = message.method ?? 'GET'
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.query = mark < 0 ? '' : target.slice(mark + 1)
    const headers = new Map<string, string>()
    for (const name in message.headers) {
      const value = lookup(message.headers, name)
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
    }
    this.headers = headers
    this.remoteAddress = message.socket.remoteAddress ?? ''
    this.signal = signal
    this.body = body
    this.account = account
  }
}
