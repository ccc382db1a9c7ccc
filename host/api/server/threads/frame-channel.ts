import { LockstepError } from '../../../base/error.ts'

/** The messages sent in one event-loop iteration. */
export interface ChannelFrame<Message> {
  /** Sequence number, starting at 1. */
  readonly sequence: number
  /** The number of the last processed frame from the other side; 0 before the first. */
  readonly handled: number
  /** True if bytes are reserved until the other side has processed this frame. */
  readonly wantsAnswer: boolean
  readonly messages: readonly Message[]
}

/** Counts the bytes in flight; negative numbers release them. */
export interface MemoryOwner {
  reserve(bytes: number): void
}

interface Held {
  readonly holder: MemoryOwner
  readonly bytes: number
}

/**
 * One end of an ordered message channel between two threads. Messages of one event-loop iteration are sent together.
 */
export class FrameChannel<Out, In> {
  readonly #post: (frame: ChannelFrame<Out>, transfer: ArrayBuffer[]) => void
  readonly #onMessage: (message: In) => void
  #sent = 0
  #received = 0
  #messages: Out[] = []
  #transfer: ArrayBuffer[] = []
  /** Reservations of the messages of this iteration, and of those in flight by frame number. */
  #held: Held[] = []
  readonly #underway = new Map<number, readonly Held[]>()
  #isArmed = false
  #isClosed = false

  constructor(
    post: (frame: ChannelFrame<Out>, transfer: ArrayBuffer[]) => void,
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

  /** Reserves bytes of the message just sent, until the other side has processed it. */
  reserve(holder: MemoryOwner, bytes: number): void {
    if (this.#isClosed) return
    holder.reserve(bytes)
    this.#held.push({ holder, bytes })
  }

  /**
   * Delivers the messages of a frame.
   * @throws ENGINE_FAULT if a frame is missing or repeated.
   */
  receive({ sequence, handled, wantsAnswer, messages }: ChannelFrame<In>): void {
    if (this.#isClosed) return
    if (sequence !== this.#received + 1 || handled > this.#sent) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `an RPC worker is out of step: frame ${sequence}, which acknowledges ${handled}, came after frame ` +
          `${this.#received}, and ${this.#sent} were sent`,
      )
    }
    this.#received = sequence
    for (const [number, held] of this.#underway) {
      if (number > handled) break
      this.#underway.delete(number)
      for (const { holder, bytes } of held) holder.reserve(-bytes)
    }
    for (const message of messages) this.#onMessage(message)
    if (wantsAnswer) this.#arm()
  }

  /** Sends the pending messages immediately, without waiting for the end of the iteration. */
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

  /** Closes the channel because the other side has terminated: sends and reserves nothing more. */
  close(): void {
    this.#isClosed = true
    for (const held of [...this.#underway.values(), this.#held]) {
      for (const { holder, bytes } of held) holder.reserve(-bytes)
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
