import type * as Uws from 'uWebSockets.js'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { type FragmentSocket, MessageQueue } from './message-queue.ts'
import { MAX_BACKLOG_BYTES, type WebSocketPeer } from './server.ts'
import type { ClientQuota, WorkScheduler } from './work-scheduler.ts'

/** The user data of a WebSocket in the library. */
export interface PeerSlot {
  peer?: UwsPeer
}

/** Methods of releases since 20.52. */
interface Fragmenting {
  sendFirstFragment?(message: Uint8Array, isBinary: boolean): number
  sendFragment(message: Uint8Array): number
  sendLastFragment(message: Uint8Array | ''): number
}

export class UwsPeer implements WebSocketPeer, FragmentSocket {
  readonly remoteAddress: string
  readonly account: ClientQuota
  readonly #messages = new MessageQueue(this)
  #backlogBytes = 0
  #heldBytes = 0
  #wake: (() => void) | undefined
  readonly #socket: Uws.WebSocket<PeerSlot>
  readonly #controller = new AbortController()

  constructor(socket: Uws.WebSocket<PeerSlot>, work: WorkScheduler) {
    this.#socket = socket
    this.remoteAddress = Buffer.from(socket.getRemoteAddressAsText()).toString()
    this.account = work.account(this.remoteAddress)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get canStream(): boolean {
    return (this.#socket as unknown as Fragmenting).sendFirstFragment !== undefined
  }

  get isClosed(): boolean {
    return this.signal.aborted
  }

  send(text: string): void {
    if (this.signal.aborted) return
    this.#messages.send(text)
    this.count()
    const unread = this.#backlogBytes + this.#heldBytes
    if (unread > MAX_BACKLOG_BYTES) this.close(1013, 'client too slow')
    else if (!this.account.admits(0)) this.close(1013, 'client memory limit reached')
  }

  stream(pieces: AsyncIterable<BorrowedView>): Promise<void> {
    return this.#messages.stream(pieces)
  }

  sendText(text: string): void {
    if (!this.signal.aborted) this.#socket.send(text)
  }

  sendFragment(bytes: Uint8Array, isFirst: boolean, isLast: boolean): void {
    const socket = this.#socket as unknown as Fragmenting
    if (isFirst) socket.sendFirstFragment?.(bytes, false)
    else if (!isLast) socket.sendFragment(bytes)
    if (isLast) socket.sendLastFragment(isFirst ? '' : bytes)
    this.count()
  }

  async whenRead(): Promise<void> {
    while (!this.signal.aborted && this.#socket.getBufferedAmount() > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  reserve(bytes: number): void {
    this.#heldBytes += bytes
    this.account.reserve(bytes)
  }

  abortMessage(): void {
    this.close(1011, 'the response was aborted')
  }

  /**
   * Handles the library's drain event: the client has read. Waiting writers continue in the next event-loop
   * iteration. A long frame that is written inside the event and not sent whole would get no further event, because
   * us_socket_write2 of uSockets does not mark the write as failed.
   */
  drained(): void {
    setImmediate(() => {
      if (!this.isClosed) this.count()
    })
  }

  /** Counts the bytes that the client has not read yet. */
  count(): void {
    this.#wake?.()
    this.#wake = undefined
    const backlog = this.#socket.getBufferedAmount()
    if (backlog === this.#backlogBytes) return
    this.account.reserve(backlog - this.#backlogBytes)
    this.#backlogBytes = backlog
  }

  close(code: number, reason: string): void {
    if (!this.signal.aborted) this.#socket.end(code, reason)
  }

  detach(): void {
    this.account.reserve(-this.#backlogBytes)
    this.#backlogBytes = 0
    this.#controller.abort()
    this.#messages.drop()
    this.#wake?.()
  }
}
