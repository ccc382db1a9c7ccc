import type { BorrowedView } from '../../base/borrowed-view.ts'

/** The socket below a queue of messages. */
export interface FragmentSocket {
  readonly isClosed: boolean
  sendText(text: string): void
  /** A part of a message; the bytes are copied. */
  sendFragment(bytes: Uint8Array, isFirst: boolean, isLast: boolean): void
  /** Resolves once the client has read enough for more, or is gone. */
  room(): Promise<void>
  /** Counts bytes that wait behind a streamed message; negative once they do not. */
  hold(bytes: number): void
  /** The message under way cannot be finished. */
  breakOff(): void
}

const NOTHING = new Uint8Array(0)

/**
 * Messages of one WebSocket in their order: whole texts, and what is streamed in fragments as fast as the
 * client reads. No other message may stand between the fragments of one (RFC 6455, section 5.4), so those that
 * come meanwhile wait.
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
    this.#socket.hold(text.length)
  }

  /** Resolves when the message is out, or the client gone. */
  stream(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    this.#last = this.#last.then(() => this.#run(pieces))
    return this.#last
  }

  /** Drops the messages that wait. */
  drop(): void {
    this.#socket.hold(-this.#heldBytes)
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
        await socket.room()
        if (socket.isClosed) return
      }
      socket.sendFragment(NOTHING, isFirst, true)
    } catch {
      socket.breakOff()
      return
    } finally {
      this.#isStreaming = false
    }
    const held = this.#held
    this.drop()
    for (const text of held) socket.sendText(text)
  }
}
