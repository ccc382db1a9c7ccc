import type { BorrowedView } from '../../base/borrowed-view.ts'

/** The socket under a message queue. */
export interface FragmentSocket {
  readonly isClosed: boolean
  sendText(text: string): void
  /** Sends a fragment of a message; copies the bytes. */
  sendFragment(bytes: Uint8Array, isFirst: boolean, isLast: boolean): void
  /** Resolves when the client has read enough to receive more, or has disconnected. */
  whenRead(): Promise<void>
  /** Reserves bytes for messages queued behind a streamed message; a negative number releases them. */
  reserve(bytes: number): void
  /** Aborts the message in progress. */
  abortMessage(): void
}

const NOTHING = new Uint8Array(0)

/**
 * The outgoing messages of one WebSocket, in order: whole texts, and streams sent in fragments as fast as the client
 * reads. Messages sent during a stream are queued, because the fragments of two messages must not be interleaved (RFC
 * 6455, section 5.4).
 */
export class MessageQueue {
  readonly #socket: FragmentSocket
  #held: string[] = []
  #heldBytes = 0
  #isStreaming = false
  #last: Promise<void> = Promise.resolve()

  constructor(socket: FragmentSocket) {
    this.#socket = socket
  }

  send(text: string): void {
    if (!this.#isStreaming) {
      this.#socket.sendText(text)
      return
    }
    this.#held.push(text)
    this.#heldBytes += text.length
    this.#socket.reserve(text.length)
  }

  /** Resolves when the message is sent, or the client has disconnected. */
  stream(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    this.#last = this.#last.then(() => this.#run(pieces))
    return this.#last
  }

  /** Drops the queued messages. */
  drop(): void {
    this.#socket.reserve(-this.#heldBytes)
    this.#held = []
    this.#heldBytes = 0
  }

  async #run(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    const socket = this.#socket
    this.#isStreaming = true
    let isFirst = true
    try {
      for await (const { borrowed } of pieces) {
        if (socket.isClosed) return
        if (borrowed.length === 0) continue
        socket.sendFragment(borrowed, isFirst, false)
        isFirst = false
        await socket.whenRead()
        if (socket.isClosed) return
      }
      socket.sendFragment(NOTHING, isFirst, true)
    } catch {
      socket.abortMessage()
      return
    } finally {
      this.#isStreaming = false
    }
    const held = this.#held
    this.drop()
    for (const text of held) socket.sendText(text)
  }
}
