import type { HttpHandler, HttpResponse } from './server.ts'

/** Whether a node should be sent requests, as load balancers ask. */
export interface Readiness {
  readonly ready: boolean
  /** Newest height of the node. */
  readonly height: number
  /** Newest height that other nodes have told of; 0 where there is none to ask. */
  readonly maxPeerHeight: number
  /** Blocks behind the best of them; undefined while none tells its height. */
  readonly lag?: number | undefined
  /** What a node that is not ready waits for, in words. */
  readonly waitingFor?: string | undefined
}

/** The answer of `/ready`: 200 where the node is ready, else 503. Its members are called as those of /lag_status. */
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

/** A handler that answers GET /ready before another one. */
export function withReady(handler: HttpHandler, readiness: () => Readiness): HttpHandler {
  return (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    return isRead && request.path === '/ready' ? readyResponse(readiness()) : handler(request)
  }
}
