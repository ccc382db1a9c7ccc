import type { WebSocketPeer } from '../../server/server.ts'
import type { Answer } from './dispatcher.ts'

/** Characters of answers that are sent before it is asked whether the client reads. */
const ASKED_CHARACTERS = 256 * 1024

/** Whether the client of a WebSocket reads its answers: one that does not gets no further work done. */
export class ReadPace {
  readonly #peer: WebSocketPeer
  readonly #onRead: () => void
  #characters = 0
  #isBehind = false

  /** `onRead` is called when the client has read all, after it was behind. */
  constructor(peer: WebSocketPeer, onRead: () => void) {
    this.#peer = peer
    this.#onRead = onRead
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Counts an answer that was sent; one in pieces may have been of any length. */
  count(answer: Answer): void {
    if (answer === undefined || this.#isBehind) return
    this.#characters += typeof answer === 'string' ? answer.length : ASKED_CHARACTERS
    if (this.#characters < ASKED_CHARACTERS) return
    this.#characters = 0
    this.#isBehind = true
    void this.#peer.room().then(() => {
      this.#isBehind = false
      this.#onRead()
    })
  }
}
