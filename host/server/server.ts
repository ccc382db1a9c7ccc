import type { BorrowedView } from '../base/borrowed-view.ts'
import type { ClientAccount, WorkScheduler } from './work-scheduler.ts'

/** One HTTP request, its body already read. Header names are lower case. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Without the question mark; empty when absent. */
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
  readonly remoteAddress: string
  /** Aborted when the client goes away before the response is complete. */
  readonly signal: AbortSignal
  /** Who pays for what the request costs. */
  readonly account: ClientAccount
}

/**
 * A streamed body is pulled as fast as the client reads: the next chunk is asked for once the one before is
 * in the hands of the system, or copied.
 */
export interface HttpResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | AsyncIterable<BorrowedView>
}

export type HttpHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Bytes of messages a WebSocket client may leave unread before it is closed. */
export const MAX_BACKLOG_BYTES: number = 16 * 1024 * 1024

/**
 * Times the limit of a message up to which one is taken in, to be refused with a close frame and a reason: above
 * their own limits the libraries close without them.
 */
export const SEEN_OVERSIZE = 2

/** One WebSocket connection. */
export interface WebSocketPeer {
  readonly remoteAddress: string
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal
  /** Who pays for what its messages cost. */
  readonly account: ClientAccount
  /**
   * Sends a text message. A client that lets too many pile up, or more than there is memory for, is closed with
   * 1013.
   */
  send(text: string): void
  /** False where the library below has no fragments. */
  readonly canStream: boolean
  /**
   * Sends a text message in fragments, as fast as the client reads; what is sent meanwhile waits behind it.
   * Resolves when it is out, or the client gone. Where the pieces end by throwing, the connection is closed with
   * 1011: a message without its last fragment cannot be taken for a whole one.
   */
  stream(pieces: AsyncIterable<BorrowedView>): Promise<void>
  close(code: number, reason: string): void
}

export interface WebSocketHandler {
  /** Whether a page of this origin may connect; every origin may when absent. */
  acceptsOrigin?(origin: string): boolean
  onOpen(peer: WebSocketPeer): void
  onMessage(peer: WebSocketPeer, message: Uint8Array): void
  onClose(peer: WebSocketPeer): void
}

export interface ServerOptions {
  /** Counts what clients cost: the node's, which all its servers share. */
  readonly work: WorkScheduler
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** A larger body is answered 413 without being kept. */
  readonly maxBodyBytes: number
  /** A client that sends no byte of its body for this long is answered 408. */
  readonly bodyIdleMs: number
  readonly maxConnections: number
  /** Whether requests to this name are meant for the server, upgrades too; all are when absent. */
  readonly acceptsHost?: (host: string | undefined) => boolean
  readonly handler: HttpHandler
  /** Absent: upgrades are refused with 400. Served on the same port. */
  readonly webSocket?: WebSocketHandler
}

export interface Server {
  readonly host: string
  readonly port: number
  /** Stops accepting, lets the requests in progress finish within `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>
}

/** @throws PORT_IN_USE when the address is taken. */
export type Listen = (options: ServerOptions) => Promise<Server>
