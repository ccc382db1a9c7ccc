import type { WebSocket } from 'ws'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { type FragmentSocket, MessageQueue } from './message-queue.ts'
import { MAX_BACKLOG_BYTES, type WebSocketPeer } from './server.ts'
import type { ClientQuota } from './work-scheduler.ts'

/** Assembling a message from its fragments needs its size twice. */
const BEGUN_COPIES = 2

/** Bytes that a client may send after the close frame, which it may not have seen. */
const LATE_BYTES = 1 << 20

export class NodePeer implements WebSocketPeer, FragmentSocket {
  readonly remoteAddress: string
  readonly account: ClientQuota
  alive = true
  readonly canStream = true
  readonly #messages = new MessageQueue(this)
  #backlogBytes = 0
  #heldBytes = 0
  /** Size of the message in progress, and of the last packet. */
  #begunBytes = 0
  #packetBytes = 0
  #lateBytes = 0
  #wake: (() => void) | undefined
  readonly #socket: WebSocket
  readonly #controller = new AbortController()

  constructor(socket: WebSocket, remoteAddress: string, account: ClientQuota) {
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
    else if (!this.account.admits(0)) this.close(1013, 'client memory limit reached')
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
    // Copied: the library may retain what the socket does not accept at once.
    this.#socket.send(bytes.slice(), { binary: false, fin: isLast }, () => this.#count())
    this.#count()
  }

  async whenRead(): Promise<void> {
    while (!this.signal.aborted && this.#socket.bufferedAmount > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  reserve(bytes: number): void {
    this.#heldBytes += bytes
    this.account.reserve(bytes)
  }

  abortMessage(): void {
    this.close(1011, 'the response was aborted')
  }

  /**
   * Counts a packet before the library parses it: the library buffers a message until it is complete, then assembles
   * it. Returns false if the packet does not fit in memory; the connection is then closed.
   */
  receive(bytes: number): boolean {
    if (this.signal.aborted) {
      this.#lateBytes += bytes
      return this.#lateBytes <= LATE_BYTES
    }
    if (!this.account.admits(bytes * BEGUN_COPIES)) {
      this.close(1013, 'client memory limit reached')
      return false
    }
    this.#packetBytes = bytes
    this.#begin(this.#begunBytes + bytes)
    return true
  }

  /** Marks a message as complete: the rest of the packet belongs to the following messages. */
  finishMessage(bytes: number): void {
    this.#begin(Math.min(Math.max(0, this.#begunBytes - bytes), this.#packetBytes))
  }

  #begin(bytes: number): void {
    this.account.reserve((bytes - this.#begunBytes) * BEGUN_COPIES)
    this.#begunBytes = bytes
  }

  /** Counts the bytes that the client has not read yet. */
  #count(): void {
    this.#wake?.()
    this.#wake = undefined
    const backlog = this.signal.aborted ? 0 : this.#socket.bufferedAmount
    if (backlog === this.#backlogBytes) return
    this.account.reserve(backlog - this.#backlogBytes)
    this.#backlogBytes = backlog
  }

  close(code: number, reason: string): void {
    if (this.signal.aborted) return
    this.#socket.close(code, reason)
    this.detach()
  }

  /** Closes a connection that answered no ping since the last call, and pings the others. */
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
