import type { BorrowedView } from '../../../base/borrowed-view.ts'
import { MAX_BACKLOG_BYTES, type WebSocketHandler, type WebSocketPeer } from '../server.ts'
import type { ClientAccount, WorkScheduler } from '../work-scheduler.ts'
import type { Holder } from './frame-channel.ts'

/** Sends messages to the thread that owns a WebSocket. */
export interface PeerLine {
  /** The bytes are reserved until the thread has them. */
  text(text: string, holder: Holder): void
  stream(pieces: AsyncIterable<BorrowedView>, holder: Holder): Promise<void>
  room(): Promise<void>
  hangUp(code: number, reason: string): void
}

/** A WebSocket that another thread owns. */
export class RemotePeer implements WebSocketPeer, Holder {
  readonly remoteAddress: string
  readonly account: ClientAccount
  readonly canStream: boolean
  readonly handler: WebSocketHandler
  readonly #line: PeerLine
  readonly #controller = new AbortController()
  #underwayBytes = 0

  constructor(
    opened: { readonly remoteAddress: string; readonly canStream: boolean },
    work: WorkScheduler,
    handler: WebSocketHandler,
    line: PeerLine,
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

  async room(): Promise<void> {
    if (!this.signal.aborted) await this.#line.room()
  }

  close(code: number, reason: string): void {
    if (this.signal.aborted) return
    this.#line.hangUp(code, reason)
    this.#controller.abort()
  }

  hold(bytes: number): void {
    this.#underwayBytes += bytes
    this.account.hold(bytes)
  }

  /** Detaches the peer, because the client has disconnected or the owning thread has died. */
  detach(): void {
    this.#controller.abort()
    this.handler.onClose(this)
  }
}
