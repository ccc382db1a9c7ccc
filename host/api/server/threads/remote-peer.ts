import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { MAX_BACKLOG_BYTES, type WebSocketHandler, type WebSocketPeer } from '../server.ts'
import type { ClientQuota, WorkScheduler } from '../work-scheduler.ts'
import type { MemoryOwner } from './frame-channel.ts'

/** Sends messages to the thread that owns a WebSocket. */
export interface PeerChannel {
  /** The bytes are reserved until the thread has them. */
  text(text: string, holder: MemoryOwner): void
  stream(pieces: AsyncIterable<BorrowedView>, holder: MemoryOwner): Promise<void>
  room(): Promise<void>
  hangUp(code: number, reason: string): void
}

/** A WebSocket that another thread owns. */
export class RemotePeer implements WebSocketPeer, MemoryOwner {
  readonly remoteAddress: string
  readonly account: ClientQuota
  readonly canStream: boolean
  readonly handler: WebSocketHandler
  readonly #line: PeerChannel
  readonly #controller = new AbortController()
  #underwayBytes = 0

  constructor(
    opened: { readonly remoteAddress: string; readonly canStream: boolean },
    work: WorkScheduler,
    handler: WebSocketHandler,
    line: PeerChannel,
  ) {
    this.remoteAddress = opened.remoteAddress
    this.canStream = opened.canStream
    this.account = work.account(opened.remoteAddress)
    this.handler = handler
    this.#line = line
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The owning thread closes a slow client; this one counts only what is in flight to it. */
  send(text: string): void {
    if (this.signal.aborted) return
    this.#line.text(text, this)
    if (this.#underwayBytes > MAX_BACKLOG_BYTES) this.close(1013, 'client too slow')
    else if (!this.account.admits(0)) this.close(1013, 'client memory limit reached')
  }

  async stream(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    if (this.signal.aborted) await pieces[Symbol.asyncIterator]().return?.()
    else await this.#line.stream(pieces, this)
  }

  async whenRead(): Promise<void> {
    if (!this.signal.aborted) await this.#line.room()
  }

  close(code: number, reason: string): void {
    if (this.signal.aborted) return
    this.#line.hangUp(code, reason)
    this.#controller.abort()
  }

  reserve(bytes: number): void {
    this.#underwayBytes += bytes
    this.account.reserve(bytes)
  }

  /** Detaches the peer, because the client has disconnected or the owning thread has died. */
  detach(): void {
    this.#controller.abort()
    this.handler.onClose(this)
  }
}
