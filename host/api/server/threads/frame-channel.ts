import { LockstepError } from '../../../base/error.ts'

/** The messages of one turn of the event loop. */
export interface Frame<Message> {
  /** The number of the frame before, plus one; the first is 1. */
  readonly sequence: number
  /** The number of the last frame that came from the other side and is done with; 0 before the first. */
  readonly handled: number
  /** True where bytes are held until the other side is done with this frame. */
  readonly wantsAnswer: boolean
  readonly messages: readonly Message[]
}

/** Counts bytes that are on their way; negative once they have arrived. */
export interface Holder {
  hold(bytes: number): void
}

interface Held {
  readonly holder: Holder
  readonly bytes: number
}

/** One end of what two threads say to each other: messages in their order, those of one turn sent together. */
export class FrameChannel<Out, In> {
  readonly #post: (frame: Frame<Out>, transfer: ArrayBuffer[]) => void
  readonly #onMessage: (message: In) => void
  #sent = 0
  #received = 0
  #messages: Out[] = []
  #transfer: ArrayBuffer[] = []
  /** What the messages of this turn hold, and what those on their way hold by the number of their frame. */
  #held: Held[] = []
  readonly #underway = new Map<number, readonly Held[]>()
  #isArmed = false
  #isClosed = false

  constructor(
    post: (frame: Frame<Out>, transfer: ArrayBuffer[]) => void,
    onMessage: (message: In) => void,
  ) {
    this.#post = post
    this.#onMessage = onMessage
  }

  send(message: Out, transfer?: ArrayBuffer): void {
    if (this.#isClosed) return
    this.#messages.push(message)
    if (transfer !== undefined) this.#transfer.push(transfer)
    this.#arm()
  }

  /** Counts bytes of a message that was just sent, until the other side is done with it. */
  hold(holder: Holder, bytes: number): void {
    if (this.#isClosed) return
    holder.hold(bytes)
    this.#held.push({ holder, bytes })
  }

  /**
   * Hands on what a frame says.
   * @throws ENGINE_FAULT where a frame is missing, or one comes twice.
   */
  receive({ sequence, handled, wantsAnswer, messages }: Frame<In>): void {
    if (this.#isClosed) return
    if (sequence !== this.#received + 1 || handled > this.#sent) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `a serving thread is out of step: frame ${sequence} that answers ${handled} came after frame ` +
          `${this.#received}, and ${this.#sent} were sent`,
      )
    }
    this.#received = sequence
    for (const [number, held] of this.#underway) {
      if (number > handled) break
      this.#underway.delete(number)
      for (const { holder, bytes } of held) holder.hold(-bytes)
    }
    for (const message of messages) this.#onMessage(message)
    if (wantsAnswer) this.#arm()
  }

  /** Sends what waits, without waiting for the end of the turn. */
  flush(): void {
    this.#isArmed = false
    if (this.#isClosed) return
    const messages = this.#messages
    const transfer = this.#transfer
    const wantsAnswer = this.#held.length > 0
    this.#messages = []
    this.#transfer = []
    const sequence = ++this.#sent
    if (wantsAnswer) this.#underway.set(sequence, this.#held)
    this.#held = []
    this.#post({ sequence, handled: this.#received, wantsAnswer, messages }, transfer)
  }

  /** The other side is gone: nothing more is sent or held. */
  close(): void {
    this.#isClosed = true
    for (const held of [...this.#underway.values(), this.#held]) {
      for (const { holder, bytes } of held) holder.hold(-bytes)
    }
    this.#underway.clear()
    this.#held = []
    this.#messages = []
    this.#transfer = []
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      if (this.#isArmed) this.flush()
    })
  }
}
