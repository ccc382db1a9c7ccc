import type { Socket } from 'node:net'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { JsonSplitter } from './json-splitter.ts'
import { type FragmentSocket, MessageQueue } from './message-queue.ts'
import { MAX_BACKLOG_BYTES, type WebSocketPeer } from './server.ts'
import type { ClientQuota } from './work-scheduler.ts'

/** Assembling a text from its parts needs its size twice. */
const BEGUN_COPIES = 2

/** Code with which a peer is closed that takes too much memory or reads too slowly. */
const TOO_MUCH = 1013

/** Time without progress after which a client that does not read its last response is cut off, ms. */
const LAST_READ_MS = 5_000

/** A connection to the socket of the node: JSON texts, each response followed by a line break, as in geth. */
export class IpcPeer implements WebSocketPeer, FragmentSocket {
  readonly remoteAddress = 'ipc'
  readonly account: ClientQuota
  readonly canStream = true
  readonly #socket: Socket
  readonly #maxBytes: number
  readonly #splitter = new JsonSplitter()
  readonly #messages = new MessageQueue(this)
  readonly #controller = new AbortController()
  #backlogBytes = 0
  #heldBytes = 0
  #begunBytes = 0
  #wake: (() => void) | undefined

  /** @param maxBytes limit of one text */
  constructor(socket: Socket, account: ClientQuota, maxBytes: number) {
    this.#socket = socket
    this.account = account
    this.#maxBytes = maxBytes
    socket.on('drain', () => this.#count())
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isClosed(): boolean {
    return this.signal.aborted
  }

  /** Returns the texts that a packet completes; none if they do not fit in memory, and the connection is closed. */
  receive(packet: Uint8Array): readonly Uint8Array[] {
    if (this.isClosed) return []
    if (!this.account.admits(packet.length * BEGUN_COPIES)) {
      this.close(1013, 'client memory limit reached')
      return []
    }
    const texts = this.#splitter.push(packet)
    this.#begin(this.#splitter.pendingBytes)
    const isTooLong =
      this.#begunBytes > this.#maxBytes || texts.some(({ length }) => length > this.#maxBytes)
    if (!isTooLong) return texts
    this.close(1009, `request too large: a text has at most ${this.#maxBytes} bytes`)
    return []
  }

  send(text: string): void {
    if (this.isClosed) return
    this.#messages.send(text)
    const unread = this.#backlogBytes + this.#heldBytes
    if (unread > MAX_BACKLOG_BYTES) this.close(1013, 'client too slow')
    else if (!this.account.admits(0)) this.close(1013, 'client memory limit reached')
  }

  stream(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    return this.#messages.stream(pieces)
  }

  sendText(text: string): void {
    if (this.isClosed) return
    this.#socket.write(`${text}\n`, () => this.#count())
    this.#count()
  }

  sendFragment(bytes: Uint8Array, _isFirst: boolean, isLast: boolean): void {
    if (this.isClosed) return
    // Copied: the socket may retain what the system does not accept at once.
    this.#socket.write(bytes.slice(), () => this.#count())
    if (isLast) this.#socket.write('\n')
    this.#count()
  }

  async whenRead(): Promise<void> {
    while (!this.isClosed && this.#socket.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  reserve(bytes: number): void {
    this.#heldBytes += bytes
    this.account.reserve(bytes)
  }

  /** Ends the connection: without its line break the text cannot be mistaken for a complete one. */
  abortMessage(): void {
    this.close(1011, 'the response was aborted')
  }

  /** Closes the connection, of a client that is too slow at once. This transport has no code and no reason. */
  close(code: number, _reason: string): void {
    if (this.isClosed) return
    if (code === TOO_MUCH) {
      this.#socket.destroy()
    } else {
      this.#socket.setTimeout(LAST_READ_MS, () => this.#socket.destroy())
      this.#socket.destroySoon()
    }
    this.detach()
  }

  detach(): void {
    this.#begin(0)
    this.#controller.abort()
    this.#messages.drop()
    this.#count()
  }

  #begin(bytes: number): void {
    this.account.reserve((bytes - this.#begunBytes) * BEGUN_COPIES)
    this.#begunBytes = bytes
  }

  /** Counts the bytes that the client has not read yet. */
  #count(): void {
    this.#wake?.()
    this.#wake = undefined
    const backlog = this.isClosed ? 0 : this.#socket.writableLength
    this.account.reserve(backlog - this.#backlogBytes)
    this.#backlogBytes = backlog
  }
}
