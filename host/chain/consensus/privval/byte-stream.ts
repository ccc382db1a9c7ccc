import type { Socket } from 'node:net'
import { concatBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'

/** An ordered stream of bytes in both directions: a socket, or an encrypted connection over one. */
export interface ByteStream {
  /** Resolves with the next `length` bytes. One call at a time. @throws PEER_INVALID if the stream ends first */
  read(length: number): Promise<Uint8Array>
  write(bytes: Uint8Array): void
  close(): void
}

/** Buffers what a source delivers, and returns it in the lengths that a reader asks for. */
export class ByteBuffer {
  readonly #next: () => Promise<Uint8Array>
  #held: Uint8Array = new Uint8Array()

  /** @param next resolves with more bytes, or rejects at the end */
  constructor(next: () => Promise<Uint8Array>) {
    this.#next = next
  }

  async read(length: number): Promise<Uint8Array> {
    while (this.#held.length < length) {
      const more = await this.#next()
      this.#held = this.#held.length === 0 ? more : concatBytes([this.#held, more])
    }
    const bytes = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return bytes
  }
}

/** Returns a socket as a stream. The socket is read only as far as a reader asks. */
export function socketStream(socket: Socket): ByteStream {
  socket.setNoDelay(true)
  // The iterator reports a lost connection to the reader.
  socket.on('error', () => undefined)
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const buffer = new ByteBuffer(async () => {
    const { value, done } = await chunks.next()
    if (done === true) throw new LockstepError('PEER_INVALID', 'the connection was closed')
    return value
  })
  return {
    read: (length) => buffer.read(length),
    write: (bytes) => void socket.write(bytes),
    close: () => socket.destroy(),
  }
}
