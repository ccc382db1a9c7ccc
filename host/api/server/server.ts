import type { BorrowedView } from '../../base/borrowed-view.ts'
import type { TlsOptions } from './certificate-watcher.ts'
import type { Origins } from './origins.ts'
import type { VirtualHosts } from './virtual-hosts.ts'
import type { ClientQuota, WorkScheduler } from './work-scheduler.ts'

/** Request headers by lower-case name. */
export interface HeaderFields extends Iterable<[name: string, value: string]> {
  get(name: string): string | undefined
  has(name: string): boolean
}

/** An HTTP request with its complete body. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Without the question mark; empty if absent. */
  readonly query: string
  readonly headers: HeaderFields
  readonly body: Uint8Array
  readonly remoteAddress: string
  /** Aborted if the client disconnects before the response is complete. */
  readonly signal: AbortSignal
  /** The account to which the request is charged. */
  readonly account: ClientQuota
}

/**
 * A streamed body is pulled as fast as the client reads: the next chunk is requested after the previous one has been
 * accepted by the system or copied.
 */
export interface HttpResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | AsyncIterable<BorrowedView>
}

/** Returns true for a status that never has a body, and so no content length (RFC 9110, 8.6). */
export function isBodiless({ status }: HttpResponse): boolean {
  return status === 204 || status === 304
}

/** Closes a streamed body that will not be read, so that its source stops. */
export async function disposeBody({ body }: HttpResponse): Promise<void> {
  if (typeof body === 'string' || body instanceof Uint8Array) return
  await body[Symbol.asyncIterator]().return?.()
}

export type HttpHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Maximum bytes of unread messages of a WebSocket client. Its connection is closed above it. */
export const MAX_BACKLOG_BYTES: number = 16 * 1024 * 1024

/** Maximum queued messages of one WebSocket: the library reads all that has arrived before anything else runs. */
export const MAX_WAITING_MESSAGES = 20_000

/** Overhead of a queued message in bytes. */
export const WAITING_MESSAGE_BYTES = 256

/**
 * A message of up to this many times the limit is read, then rejected with a close frame and a reason. Above their
 * own limits the libraries close without either.
 */
export const OVERSIZE_FACTOR = 2

/** A WebSocket connection. */
export interface WebSocketPeer {
  readonly remoteAddress: string
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal
  /** The account to which its messages are charged. */
  readonly account: ClientQuota
  /** Sends a text message. Closes with 1013 if too many messages are unread, or memory for clients is exhausted. */
  send(text: string): void
  /** False if the library cannot send fragments. */
  readonly canStream: boolean
  /**
   * Sends a text message in fragments, as fast as the client reads. Messages sent meanwhile are queued behind it.
   * Resolves when it is sent, or the client has disconnected. If `pieces` throws, the connection is closed with 1011:
   * a message without its last fragment cannot be mistaken for a complete one.
   */
  stream(pieces: AsyncIterable<BorrowedView>): Promise<void>
  /** Resolves when the client has read everything that was sent, or has disconnected. */
  whenRead(): Promise<void>
  close(code: number, reason: string): void
}

export interface WebSocketHandler {
  /** Allowed origins of pages that connect; undefined allows every origin. */
  readonly origins?: Origins
  onOpen(peer: WebSocketPeer): void
  onMessage(peer: WebSocketPeer, message: Uint8Array): void
  onClose(peer: WebSocketPeer): void
}

export interface ServerOptions {
  /** Accounts for the costs of clients; shared by all servers of the node. */
  readonly work: WorkScheduler
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** A larger body is answered with 413 and discarded. */
  readonly maxBodyBytes: number
  /** A client that sends no byte of its body for this long is answered with 408. */
  readonly bodyIdleMs: number
  readonly maxConnections: number
  /** Undefined: plain HTTP. */
  readonly tls?: TlsOptions
  /** Host names for which requests and upgrades are accepted; undefined accepts all. */
  readonly hosts?: VirtualHosts
  readonly handler: HttpHandler
  /** Served on the same port. Undefined: upgrades are refused with 400. */
  readonly webSocket?: WebSocketHandler
}

export interface Server {
  readonly host: string
  readonly port: number
  /** Stops accepting connections, lets pending requests finish within `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>
}

/** @throws PORT_IN_USE if the address is in use, CERTIFICATE_INVALID. */
export type Listen = (options: ServerOptions) => Promise<Server>
