import type { Socket } from 'node:net'

/** The place of one response in the queue of its connection. */
export interface ResponsePlace {
  answer(bytes: Uint8Array): void
  /** Sends a response and closes the connection after it; later calls get no response. */
  answerLast(bytes: Uint8Array): void
  /** Closes the connection after the earlier responses; this call and later ones get none. */
  drop(): void
}

interface Answer {
  bytes: Uint8Array | undefined
}

/**
 * Responses of a connection, written in the order of their requests. Responses that become ready in one iteration of
 * the event loop are sent in one write.
 */
export class ResponseQueue {
  readonly #socket: Socket
  #answers: Answer[] = []
  #isScheduled = false
  #isEnding = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Reserves the next place in the queue. */
  reserve(): ResponsePlace {
    const answer: Answer = { bytes: undefined }
    this.#answers.push(answer)
    return {
      answer: (bytes) => {
        answer.bytes = bytes
        if (answer === this.#answers[0]) this.#schedule()
      },
      answerLast: (bytes) => {
        answer.bytes = bytes
        this.#endBehind(answer, 1)
      },
      drop: () => this.#endBehind(answer, 0),
    }
  }

  /** Closes the connection after all pending responses. */
  end(): void {
    this.#isEnding = true
    this.#schedule()
  }

  /** Drops the responses after `answer` (offset 1) or from it on (offset 0). It may have been dropped already. */
  #endBehind(answer: Answer, offset: 0 | 1): void {
    const at = this.#answers.indexOf(answer)
    if (at >= 0) this.#answers = this.#answers.slice(0, at + offset)
    this.end()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#send()
    })
  }

  #send(): void {
    const waiting = this.#answers.findIndex(({ bytes }) => bytes === undefined)
    const ready = this.#answers.splice(0, waiting < 0 ? this.#answers.length : waiting)
    if (ready.length > 0 && this.#socket.writable) {
      this.#socket.write(Buffer.concat(ready.map(({ bytes }) => bytes as Uint8Array)))
    }
    if (this.#isEnding && this.#answers.length === 0) this.#socket.end()
  }
}
