import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

// Proto3 leaves a scalar field out when it holds its default; a message field that CometBFT declares
// non-nullable is always written, even when it is empty. Hashes depend on both.

export function putInteger(writer: BinaryWriter, field: number, value: number | bigint): void {
  if (value) writer.tag(field, WireType.Varint).int64(value)
}

export function putFixed(writer: BinaryWriter, field: number, value: number | bigint): void {
  if (value) writer.tag(field, WireType.Bit64).sfixed64(value)
}

export function putBytes(writer: BinaryWriter, field: number, value: Uint8Array): void {
  if (value.length > 0) writer.tag(field, WireType.LengthDelimited).bytes(value)
}

export function putString(writer: BinaryWriter, field: number, value: string): void {
  if (value !== '') writer.tag(field, WireType.LengthDelimited).string(value)
}

export function putMessage(writer: BinaryWriter, field: number, encoded: Uint8Array): void {
  writer.tag(field, WireType.LengthDelimited).bytes(encoded)
}

/** Takes the value of a field, whose wire type is as it was written. */
export type FieldReader = (reader: BinaryReader, wireType: WireType) => void

export type FieldReaders = Readonly<Record<number, FieldReader>>

/** Reads a message, handing each known field to its reader; the rest is skipped. Throws on bad wire. */
export function readMessage(encoded: Uint8Array, fields: FieldReaders): void {
  const reader = new BinaryReader(encoded)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    const read = fields[field]
    if (read === undefined) reader.skip(wireType, field)
    else read(reader, wireType)
  }
}

/** An int64 field as a number: heights, powers and times in seconds stay below 2^53. */
export function readInteger(reader: BinaryReader): number {
  return Number(reader.int64())
}
