import { WalletError } from '../protocol/wallet-error.ts'

/** Length of what follows, big-endian. */
const HEADER_BYTES = 4

/** More than any request that the API takes, with its answer. */
export const MAX_FRAME_BYTES = 4 << 20

/** A message as it goes over the socket: its length, then JSON in UTF-8. */
export function encodeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message)
  const length = Buffer.byteLength(text)
  if (length > MAX_FRAME_BYTES) throw new WalletError('payload_too_large')
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length)
  frame.writeUInt32BE(length)
  frame.write(text, HEADER_BYTES)
  return frame
}

/** Puts messages together from the pieces that a socket gives. */
export class FrameReader {
  #pieces: Buffer[] = []
  #length = 0

  /**
   * The messages that are complete with this piece.
   * @throws WalletError payload_too_large or invalid_data: nothing that comes after can be read
   */
  push(piece: Buffer): unknown[] {
    this.#pieces.push(piece)
    this.#length += piece.length
    const messages: unknown[] = []
    for (;;) {
      const size = this.#nextSize()
      if (size === undefined || this.#length < HEADER_BYTES + size) return messages
      messages.push(parse(this.#take(HEADER_BYTES + size).subarray(HEADER_BYTES)))
    }
  }

  #nextSize(): number | undefined {
    if (this.#length < HEADER_BYTES) return undefined
    if ((this.#pieces[0] as Buffer).length < HEADER_BYTES) this.#join()
    const size = (this.#pieces[0] as Buffer).readUInt32BE()
    if (size > MAX_FRAME_BYTES) {
      throw new WalletError(
        'payload_too_large',
        `a message of ${size} bytes: at most ${MAX_FRAME_BYTES} are taken`,
      )
    }
    return size
  }

  #take(length: number): Buffer {
    if ((this.#pieces[0] as Buffer).length < length) this.#join()
    const first = this.#pieces[0] as Buffer
    const taken = first.subarray(0, length)
    if (first.length === length) this.#pieces.shift()
    else this.#pieces[0] = first.subarray(length)
    this.#length -= length
    return taken
  }

  /** Once a message at most: pieces are held apart until all of it is there. */
  #join(): void {
    this.#pieces = [Buffer.concat(this.#pieces)]
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw new WalletError('invalid_data', 'a message is not JSON in UTF-8')
  }
}
