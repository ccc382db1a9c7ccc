import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { LockstepError } from '../../../base/error.ts'
import type { ByteStream } from './byte-stream.ts'

/** Most bytes of a length prefix: five hold 2^35. */
const MAX_LENGTH_BYTES = 5

/** Returns a message after its length, as CometBFT's `protoio` writes it. */
export function delimit(message: Uint8Array): Uint8Array {
  return new BinaryWriter().bytes(message).finish()
}

/**
 * Reads a message after its length.
 * @throws PEER_INVALID if the length is no varint or above `limit`, or the stream ends first
 */
export async function readDelimited(stream: ByteStream, limit: number): Promise<Uint8Array> {
  let length = 0
  for (let i = 0; ; i++) {
    const [byte = 0] = await stream.read(1)
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) break
    if (i + 1 === MAX_LENGTH_BYTES) {
      throw new LockstepError('PEER_INVALID', `a length has more than ${MAX_LENGTH_BYTES} bytes`)
    }
  }
  if (length <= limit) return stream.read(length)
  throw new LockstepError(
    'PEER_INVALID',
    `a message of ${length} bytes is above the limit of ${limit}`,
  )
}
