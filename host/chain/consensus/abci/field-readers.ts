import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { LockstepError } from '../../../base/error.ts'
import type { ProtoFieldReader } from '../comet/proto.ts'
import { decodeTimestamp } from '../comet/timestamp.ts'

// Readers of protobuf fields. Each rejects any wire type but its own.

function typed<Value>(
  wireType: WireType,
  read: (reader: BinaryReader) => Value,
  take: (value: Value) => void,
): ProtoFieldReader {
  return (reader, found) => {
    if (found !== wireType) throw invalidAbci(`a field has wire type ${found}, not ${wireType}`)
    take(read(reader))
  }
}

export function invalidAbci(what: string): LockstepError {
  return new LockstepError('PEER_INVALID', `ABCI: ${what}`)
}

function safeInteger(value: bigint | number | string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw invalidAbci(`${value} is above 2^53`)
}

export function bytesField(take: (value: Uint8Array) => void): ProtoFieldReader {
  return typed(WireType.LengthDelimited, (reader) => reader.bytes(), take)
}

export function stringField(take: (value: string) => void): ProtoFieldReader {
  return typed(WireType.LengthDelimited, (reader) => reader.string(), take)
}

/** int64 and int32: heights, powers, sizes. */
export function integerField(take: (value: number) => void): ProtoFieldReader {
  return typed(WireType.Varint, (reader) => safeInteger(reader.int64()), take)
}

/** uint64 and uint32. */
export function unsignedField(take: (value: number) => void): ProtoFieldReader {
  return typed(WireType.Varint, (reader) => safeInteger(reader.uint64()), take)
}

export function booleanField(take: (value: boolean) => void): ProtoFieldReader {
  return typed(WireType.Varint, (reader) => reader.bool(), take)
}

export function timeField(take: (value: bigint) => void): ProtoFieldReader {
  return typed(WireType.LengthDelimited, (reader) => decodeTimestamp(reader.bytes()), take)
}
