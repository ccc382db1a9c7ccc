import type { Socket } from 'node:net'

interface Answer {
  bytes: Uint8Array | undefined
}

/**
 * The answers of a connection, which leave in the order of their requests whenever they come. Those that are ready in
 * one turn of the event loop leave in one write.
 */
export class AnswerQueue {
  readonly #socket: Socket
  readonly #answers: Answer[] = []
  #isScheduled = false
  #isEnding = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Takes the next place; the answer is given to what it returns. */
  reserve(): (bytes: Uint8Array) => void {
    const answer: Answer = { bytes: undefined }
    this.#answers.push(answer)
    return (bytes) => {
      answer.bytes = bytes
      if (answer === this.#answers[0]) this.#schedule()
    }
  }

  /** Ends the connection behind the last answer that is owed. */
  end(): void {
    this.#isEnding = true
    this.#schedule()
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
