import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that events are delivered to; `answer` says how it answers each. */
export class WebhookReceiver {
  readonly received: Received[] = []
  answer: (response: ServerResponse, received: Received) => void = (response) => response.end()
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body }
      this.received.push(received)
      this.answer(response, received)
    })
  })

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    receiver.#server.on('connection', (socket) => {
      receiver.#sockets.add(socket)
      socket.on('close', () => receiver.#sockets.delete(socket))
    })
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`
  }

  /** Ids of the events, each once. */
  get ids(): ReadonlySet<string> {
    return new Set(this.received.map(({ headers }) => String(headers['svix-id'])))
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
