import type { WebSocket } from 'ws'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { type FragmentSocket, MessageQueue } from './message-queue.ts'
import { MAX_BACKLOG_BYTES, type WebSocketPeer } from './server.ts'
import type { ClientAccount } from './work-scheduler.ts'

/** A message is in memory twice when it is made of its pieces. */
const BEGUN_COPIES = 2

/** Bytes that may come of a client after the close frame, which it may not have seen. */
const LATE_BYTES = 1 << 20

/** One WebSocket. */
export class NodePeer implements WebSocketPeer, FragmentSocket {
  readonly remoteAddress: string
  readonly account: ClientAccount
  alive = true
  readonly canStream = true
  readonly #messages = new MessageQueue(this)
  #backlogBytes = 0
  #heldBytes = 0
  /** Bytes of the message that the client has begun, and of the last packet. */
  #begunBytes = 0
  #packetBytes = 0
  #lateBytes = 0
  #wake: (() => void) | undefined
  readonly #socket: WebSocket
  readonly #controller = new AbortController()

  constructor(socket: WebSocket, remoteAddress: string, account: ClientAccount) {
    this.#socket = socket
    this.remoteAddress = remoteAddress
    this.account = account
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isClosed(): boolean {
    return this.signal.aborted
  }

  send(text: string): void {
    if (this.signal.aborted) return
    this.#messages.send(text)
    const unread = this.#backlogBytes + this.#heldBytes
    if (unread > MAX_BACKLOG_BYTES) this.close(1013, 'client too slow')
    else if (!this.account.admits(0)) this.close(1013, 'too much is held for clients')
  }

  stream(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    return this.#messages.stream(pieces)
  }

  sendText(text: string): void {
    if (this.signal.aborted) return
    this.#socket.send(text, () => this.#count())
    this.#count()
  }

  sendFragment(bytes: Uint8Array, _isFirst: boolean, isLast: boolean): void {
    // Copied: the library may keep what the socket does not take at once.
    this.#socket.send(bytes.slice(), { binary: false, fin: isLast }, () => this.#count())
    this.#count()
  }

  async room(): Promise<void> {
    while (!this.signal.aborted && this.#socket.bufferedAmount > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes
    this.account.hold(bytes)
  }

  breakOff(): void {
    this.close(1011, 'the answer broke off')
  }

  /**
   * Counts a packet before it is read: the library keeps what it has of a message until that is whole, and makes it one
   * then. False if there is no room for it: the connection is closed.
   */
  receive(bytes: number): boolean {
    if (this.signal.aborted) {
      this.#lateBytes += bytes
      return this.#lateBytes <= LATE_BYTES
    }
    if (!this.account.admits(bytes * BEGUN_COPIES)) {
      this.close(1013, 'too much is held for clients')
      return false
    }
    this.#packetBytes = bytes
    this.#begin(this.#begunBytes + bytes)
    return true
  }

  /** A message is whole: what is left of the packet is of those behind it. */
  finishMessage(bytes: number): void {
    this.#begin(Math.min(Math.max(0, this.#begunBytes - bytes), this.#packetBytes))
  }

  #begin(bytes: number): void {
    this.account.hold((bytes - this.#begunBytes) * BEGUN_COPIES)
    this.#begunBytes = bytes
  }

  /** Counts what the client has not read yet. */
  #count(): void {
    this.#wake?.()
    this.#wake = undefined
    const backlog = this.signal.aborted ? 0 : this.#socket.bufferedAmount
    if (backlog === this.#backlogBytes) return
    this.account.hold(backlog - this.#backlogBytes)
    this.#backlogBytes = backlog
  }

  close(code: number, reason: string): void {
    if (this.signal.aborted) return
    this.#socket.close(code, reason)
    this.detach()
  }

  /** Ends a connection that answered no ping since the last call, and asks the others again. */
  check(): void {
    if (!this.alive) {
      this.#socket.terminate()
      return
    }
    this.alive = false
    this.#socket.ping()
  }

  detach(): void {
    this.#begin(0)
    this.#controller.abort()
    this.#messages.drop()
    this.#count()
  }
}
