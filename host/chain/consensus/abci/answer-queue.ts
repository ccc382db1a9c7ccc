import type { Socket } from 'node:net'

/** Where the answer to one call stands among those of its connection. */
export interface Place {
  answer(bytes: Uint8Array): void
  /** Answers, and ends the connection behind it: the calls that follow get none. */
  answerLast(bytes: Uint8Array): void
  /** Ends the connection behind the answers before: this call and those that follow get none. */
  drop(): void
}

interface Answer {
  bytes: Uint8Array | undefined
}

/**
 * The answers of a connection, which leave in the order of their requests whenever they come. Those that are ready in
 * one turn of the event loop leave in one write.
 */
export class AnswerQueue {
  readonly #socket: Socket
  #answers: Answer[] = []
  #isScheduled = false
  #isEnding = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Takes the next place. */
  reserve(): Place {
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

  /** Ends the connection behind the answers that are owed. */
  end(): void {
    this.#isEnding = true
    this.#schedule()
  }

  /** Forgets the answers behind one, or from it on; it may have been forgotten itself. */
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
