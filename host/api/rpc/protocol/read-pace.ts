import type { WebSocketPeer } from '../../server/server.ts'
import type { DispatchedAnswer } from './dispatcher.ts'

/** Characters of responses sent before checking that the client reads them. */
const ASKED_CHARACTERS = 256 * 1024

/** Tracks whether a WebSocket client reads its responses. Its further requests wait until it does. */
export class ReadPace {
  readonly #peer: WebSocketPeer
  readonly #onRead: () => void
  #characters = 0
  #isBehind = false

  /** @param onRead called when the client was behind and has read everything */
  constructor(peer: WebSocketPeer, onRead: () => void) {
    this.#peer = peer
    this.#onRead = onRead
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Counts a sent response; a streamed one may have any length. */
  count(answer: DispatchedAnswer): void {
    if (answer === undefined || this.#isBehind) return
    this.#characters += typeof answer === 'string' ? answer.length : ASKED_CHARACTERS
    if (this.#characters < ASKED_CHARACTERS) return
    this.#characters = 0
    this.#isBehind = true
    void this.#peer.whenRead().then(() => {
      this.#isBehind = false
      this.#onRead()
    })
  }
}
