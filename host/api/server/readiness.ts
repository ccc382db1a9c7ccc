import type { HttpHandler, HttpResponse } from './server.ts'

/** Whether a load balancer should send requests to the node. */
export interface Readiness {
  readonly ready: boolean
  /** Latest height of the node. */
  readonly height: number
  /** Latest height reported by peers; 0 if there are no peers to ask. */
  readonly maxPeerHeight: number
  /** Blocks behind the best peer; undefined until a peer reports its height. */
  readonly lag?: number | undefined
  /** Why a node is not ready, in words. */
  readonly waitingFor?: string | undefined
}

/**
 * Returns the response of `/ready`: 200 if the node is ready, otherwise 503. Its fields are named as in /lag_status.
 */
export function readyResponse(readiness: Readiness): HttpResponse {
  const { ready, height, maxPeerHeight, lag = null, waitingFor } = readiness
  const body = {
    ready,
    height,
    max_peer_height: maxPeerHeight,
    lag,
    ...(waitingFor !== undefined && { waiting_for: waitingFor }),
  }
  return {
    status: ready ? 200 : 503,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** Wraps a handler with one for GET /ready. */
export function withReady(handler: HttpHandler, readiness: () => Readiness): HttpHandler {
  return (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    return isRead && request.path === '/ready' ? readyResponse(readiness()) : handler(request)
  }
}
