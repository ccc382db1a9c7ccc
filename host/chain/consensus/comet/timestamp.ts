import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { LockstepError } from '../../../base/error.ts'
import { hasYear } from '../../../base/time.ts'
import { putInteger, readProtoMessage } from './proto.ts'

const NANOS = 1_000_000_000n

/** Go's zero time, 0001-01-01T00:00:00Z: the time of an absent vote. */
export const ZERO_TIME = -62_135_596_800n * NANOS

/**
 * Encodes nanoseconds since 1970 as google.protobuf.Timestamp. `nanos` counts forward even before 1970.
 * @throws INVALID_ARGUMENT if the time is outside the years 1 to 9999, which CometBFT rejects
 */
export function encodeTimestamp(time: bigint): Uint8Array {
  if (!hasYear(time)) {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `a time of ${time} ns since 1970 is outside the years 1 to 9999: a block cannot state it`,
      { hint: "set the machine's clock" },
    )
  }
  const nanos = ((time % NANOS) + NANOS) % NANOS
  const writer = new BinaryWriter()
  putInteger(writer, 1, (time - nanos) / NANOS)
  putInteger(writer, 2, nanos)
  return writer.finish()
}

/** Decodes any time: development chains of version 0.1.0 have blocks after the year 9999. */
export function decodeTimestamp(encoded: Uint8Array): bigint {
  let seconds = 0n
  let nanos = 0
  readProtoMessage(encoded, {
    1: (reader) => {
      seconds = BigInt(reader.int64())
    },
    2: (reader) => {
      nanos = reader.int32()
    },
  })
  return seconds * NANOS + BigInt(nanos)
}
