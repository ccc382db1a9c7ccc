import type { BorrowedView } from '../../base/borrowed-view.ts'
import type { TlsOptions } from './key-pair-watch.ts'
import type { Origins } from './origins.ts'
import type { VirtualHosts } from './virtual-hosts.ts'
import type { ClientAccount, WorkScheduler } from './work-scheduler.ts'

/** The headers of a request, by their names in lower case. */
export interface HeaderFields extends Iterable<[name: string, value: string]> {
  get(name: string): string | undefined
  has(name: string): boolean
}

/** One HTTP request, its body already read. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Without the question mark; empty when absent. */
  readonly query: string
  readonly headers: HeaderFields
  readonly body: Uint8Array
  readonly remoteAddress: string
  /** Aborted when the client goes away before the response is complete. */
  readonly signal: AbortSignal
  /** The account that the costs of the request are charged to. */
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

/** True where a status has no body by itself, and so no length of one (RFC 9110, 8.6). */
export function isBodiless({ status }: HttpResponse): boolean {
  return status === 204 || status === 304
}

/** Ends a streamed body that nobody will read, so that whatever feeds it stops. */
export async function disposeBody({ body }: HttpResponse): Promise<void> {
  if (typeof body === 'string' || body instanceof Uint8Array) return
  await body[Symbol.asyncIterator]().return?.()
}

export type HttpHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Bytes of messages that a WebSocket client may leave unread before its connection is closed. */
export const MAX_BACKLOG_BYTES: number = 16 * 1024 * 1024

/**
 * Most messages of one WebSocket that wait: the library goes on reading while more arrive, and nothing else runs
 * meanwhile.
 */
export const MAX_WAITING_MESSAGES = 20_000

/** Bytes that a waiting message takes beside its own. */
export const WAITING_MESSAGE_BYTES = 256

/**
 * A message of up to this many times the limit is taken in, to be refused with a close frame and a reason: above
 * their own limits the libraries close without them.
 */
export const SEEN_OVERSIZE = 2

/** One WebSocket connection. */
export interface WebSocketPeer {
  readonly remoteAddress: string
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal
  /** The account that the costs of its messages are charged to. */
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
  /** Resolves once the client has read all that was sent, or is gone. */
  room(): Promise<void>
  close(code: number, reason: string): void
}

export interface WebSocketHandler {
  /** Pages of which origins may connect; where it is absent, those of every origin may. */
  readonly origins?: Origins
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
  /** Absent: plain HTTP. */
  readonly tls?: TlsOptions
  /** The Host names under which requests are taken, upgrades too; where it is absent, all are. */
  readonly hosts?: VirtualHosts
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

/** @throws PORT_IN_USE when the address is taken, CERTIFICATE_INVALID. */
export type Listen = (options: ServerOptions) => Promise<Server>
