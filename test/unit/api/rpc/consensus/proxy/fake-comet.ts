import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'

/** A request as CometBFT receives it. */
export interface SeenRequest {
  readonly id: number
  readonly method: string
  readonly params: Record<string, unknown>
}

/** Answers a request: returns the result, or writes to the socket itself. */
export type FakeAnswer = (
  request: SeenRequest,
  response: ServerResponse,
  message: IncomingMessage,
) => object | undefined

/** Stands in for CometBFT at its RPC socket: encodes as CometBFT does and answers as configured. */
export class FakeComet {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'fake-comet-'))
  readonly socketPath: string = join(this.folder, 'rpc.sock')
  /** Bodies of HTTP requests, in order of arrival. */
  readonly bodies: string[] = []
  /** Requests over WebSocket. */
  readonly asked: SeenRequest[] = []
  readonly sockets = new Set<WebSocket>()
  answer: FakeAnswer = () => ({})
  /** Answers a request over WebSocket; the default accepts it. */
  take: (request: SeenRequest, socket: WebSocket) => void = ({ id }, socket) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  }
  #server: Server | undefined

  static async start(): Promise<FakeComet> {
    const comet = new FakeComet()
    await comet.listen()
    return comet
  }

  get methods(): string[] {
    return this.asked.map(({ method, params }) => `${method} ${params.query}`)
  }

  async listen(): Promise<void> {
    const server = createServer(async (message, response) => {
      const body = await text(message)
      this.bodies.push(body)
      const request = JSON.parse(body) as SeenRequest
      const result = this.answer(request, response, message)
      if (result === undefined) return
      response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...wrapped(result) }))
    })
    const webSockets = new WebSocketServer({ server, path: '/websocket' })
    webSockets.on('connection', (socket) => {
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
      socket.on('message', (data) => {
        const request = JSON.parse(String(data)) as SeenRequest
        this.asked.push(request)
        this.take(request, socket)
      })
    })
    server.listen(this.socketPath)
    await once(server, 'listening')
    this.#server = server
  }

  /** Sends an event to every subscriber of this query. */
  publish(query: string, value: object): void {
    for (const { id, method, params } of this.asked) {
      if (method !== 'subscribe' || params.query !== query) continue
      const result = { query, data: { type: 'test', value }, events: {} }
      for (const socket of this.sockets) socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
  }

  /** Closes the server and all connections, as when a process ends. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    for (const socket of this.sockets) socket.terminate()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    this.asked.length = 0
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true })
  }
}

function wrapped(result: object): object {
  return 'error' in result ? result : { result }
}
