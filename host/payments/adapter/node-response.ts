import { type Conclusion, isServed } from './conclusion.ts'

/** What is needed of a connection of Node. */
export interface NodeSocket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** What is needed of a response of Node, before it is sent. */
export interface NodeResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  /** The connection, once it is this response's turn on it. */
  readonly socket: unknown
  /** The error by which the server itself broke the response off. */
  readonly errored: Error | null
  once(event: 'finish' | 'close', listener: () => void): unknown
}

/** Tells when clients leave: one listener to a connection, on which any number of requests may wait for their turn. */
export class Connections {
  readonly #listeners = new WeakMap<NodeSocket, Set<() => void>>()

  /** Calls back once the connection has closed. Gives what takes the listener off. */
  onClose(socket: NodeSocket, listener: () => void): () => void {
    const known = this.#listeners.get(socket)
    const listeners = known ?? new Set()
    if (known === undefined) {
      this.#listeners.set(socket, listeners)
      socket.once('close', () => {
        for (const one of [...listeners]) one()
      })
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

/**
 * Says what became of a response. One that has begun is delivered even where its client leaves: who has read most of it
 * has what was paid for. One that the server itself breaks off is not, nor is one whose turn on its connection had not
 * come when that was closed: Node says nothing of it.
 */
export function watchResponse(
  response: NodeResponse,
  socket: NodeSocket,
  connections: Connections,
  conclusion: Conclusion,
): void {
  const end = () => {
    stop()
    const { headersSent, statusCode, errored, socket: own } = response
    const hasBegun = headersSent && own !== null
    conclusion.is(hasBegun && isServed(statusCode) && errored === null)
  }
  const stop = connections.onClose(socket, end)
  response.once('close', end)
  response.once('finish', () => {
    stop()
    conclusion.is(isServed(response.statusCode))
  })
}
