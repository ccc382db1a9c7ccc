import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { putInteger, readInteger, readMessage } from './proto.ts'

const NANOS = 1_000_000_000n

/** Go's zero time, 0001-01-01T00:00:00Z: the time of a vote that is absent. */
export const ZERO_TIME = -62_135_596_800n * NANOS

/** google.protobuf.Timestamp of nanoseconds since 1970; `nanos` counts forward also before 1970. */
export function encodeTimestamp(time: bigint): Uint8Array {
  const nanos = ((time % NANOS) + NANOS) % NANOS
  const writer = new BinaryWriter()
  putInteger(writer, 1, (time - nanos) / NANOS)
  putInteger(writer, 2, nanos)
  return writer.finish()
}

export function decodeTimestamp(encoded: Uint8Array): bigint {
  let seconds = 0
  let nanos = 0
  readMessage(encoded, {
    1: (reader) => {
      seconds = readInteger(reader)
    },
    2: (reader) => {
      nanos = reader.int32()
    },
  })
  return BigInt(seconds) * NANOS + BigInt(nanos)
}
