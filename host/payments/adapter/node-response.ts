import { type Conclusion, isServed } from './conclusion.ts'

/** The members of a Node socket that this module uses. */
export interface NodeSocket {
  readonly destroyed: boolean
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** The members of a Node response that this module uses, before it is sent. */
export interface NodeResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  /** The connection, after earlier responses on it have finished. */
  readonly socket: unknown
  /** The error with which the server aborted the response. */
  readonly errored: Error | null
  once(event: 'finish' | 'close', listener: () => void): unknown
}

/**
 * Notifies requests when their client disconnects. Uses one listener per connection, however many requests are
 * queued.
 */
export class ConnectionWatch {
  readonly #listeners = new WeakMap<NodeSocket, Set<() => void>>()

  /** Calls `listener` after the connection closes. Returns a function that removes the listener. */
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
 * Reports the outcome of a response. One whose head was sent counts as delivered even if the client disconnects,
 * since it may have received most of the body. One that the server aborts, or that was still queued when the
 * connection closed, counts as failed. Node emits nothing for the latter, so the socket is watched.
 */
export function watchResponse(
  response: NodeResponse,
  socket: NodeSocket,
  connections: ConnectionWatch,
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
