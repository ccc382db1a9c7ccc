import { Fifo } from '../../../base/fifo.ts'
import { MAX_WAITING_MESSAGES, WAITING_MESSAGE_BYTES, type WebSocketPeer } from '../server.ts'
import type { MemoryOwner } from './frame-channel.ts'

/** Maximum messages of one WebSocket in flight: processing them takes part of a millisecond. */
const UNDERWAY = 64

/**
 * The messages of one WebSocket in flight to the main thread. The library reads all that has arrived, and a frame is
 * processed as a whole: a frame with a complete burst would block the main thread for seconds.
 */
export class ForwardedMessages implements MemoryOwner {
  readonly #peer: WebSocketPeer
  readonly #send: (message: Uint8Array, holder: MemoryOwner) => void
  readonly #waiting = new Fifo<Uint8Array>()
  #underway = 0

  /** @param send sends the message on the channel, reserved by `holder` */
  constructor(peer: WebSocketPeer, send: (message: Uint8Array, holder: MemoryOwner) => void) {
    this.#peer = peer
    this.#send = send
  }

  push(message: Uint8Array): void {
    const { account } = this.#peer
    if (this.#underway < UNDERWAY && this.#waiting.length === 0) {
      this.#send(message, this)
    } else if (this.#waiting.length >= MAX_WAITING_MESSAGES) {
      this.#peer.close(1013, `more than ${MAX_WAITING_MESSAGES} requests are queued`)
      return
    } else {
      this.#waiting.push(message)
      account.reserve(message.length + WAITING_MESSAGE_BYTES)
    }
    if (!account.admits(0)) this.#peer.close(1013, 'client memory limit reached')
  }

  /** Drops the queued messages, because the client has disconnected. */
  drop(): void {
    while (this.#take() !== undefined);
  }

  reserve(bytes: number): void {
    this.#peer.account.reserve(bytes)
    if (bytes > 0) {
      this.#underway++
      return
    }
    this.#underway--
    while (this.#underway < UNDERWAY) {
      const message = this.#take()
      if (message === undefined) return
      this.#send(message, this)
    }
  }

  #take(): Uint8Array | undefined {
    const message = this.#waiting.shift()
    if (message !== undefined) {
      this.#peer.account.reserve(-(message.length + WAITING_MESSAGE_BYTES))
    }
    return message
  }
}
