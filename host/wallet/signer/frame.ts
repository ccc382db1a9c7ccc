import { WalletError } from '../protocol/wallet-error.ts'

/** The length of the payload, big-endian. */
const HEADER_BYTES = 4

/** Larger than any request of the API, and its answer. */
export const MAX_FRAME_BYTES = 4 << 20

/** Encodes a message for the socket: its length, then JSON in UTF-8. */
export function encodeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message)
  const length = Buffer.byteLength(text)
  if (length > MAX_FRAME_BYTES) throw new WalletError('payload_too_large')
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length)
  frame.writeUInt32BE(length)
  frame.write(text, HEADER_BYTES)
  return frame
}

/** Assembles messages from socket chunks. */
export class SignerFrameReader {
  #pieces: Buffer[] = []
  #length = 0

  /**
   * Returns the messages that this chunk completes.
   * @throws WalletError payload_too_large or invalid_data; the rest of the stream is then unreadable
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
        `a message of ${size} bytes is too long: at most ${MAX_FRAME_BYTES}`,
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

  /** At most once per message: chunks are collected until all are there. */
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
