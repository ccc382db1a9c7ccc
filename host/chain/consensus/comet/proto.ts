import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { LockstepError } from '../../../base/error.ts'
import { bytesText, requireCount, textBytes, unwritable } from '../../../base/writable.ts'
import type { ByteWriter } from '../../../storage/store/codec/byte-writer.ts'

// Proto3 omits a scalar field that has its default value. A message field that CometBFT declares non-nullable is
// always written, even if empty. Hashes depend on both.

const LEAST = -(2n ** 63n)
const MOST = 2n ** 63n - 1n
const MOST_UINT32 = 2 ** 32 - 1
const MOST_INT32 = 2 ** 31 - 1

/** @throws INVALID_ARGUMENT if the value does not fit an int64 or is an unsafe number */
function requireInteger(value: number | bigint): void {
  const isWhole =
    typeof value === 'bigint' ? value >= LEAST && value <= MOST : Number.isSafeInteger(value)
  if (!isWhole) throw unwritable(`an integer ${value}`, 'want a whole number of 64 bits')
}

export function putInteger(writer: BinaryWriter, field: number, value: number | bigint): void {
  requireInteger(value)
  if (value) writer.tag(field, WireType.Varint).int64(value)
}

export function putUint32(writer: BinaryWriter, field: number, value: number): void {
  requireCount(value, 'an integer', MOST_UINT32)
  putInteger(writer, field, value)
}

/** Writes a non-negative int32. */
export function putInt32(writer: BinaryWriter, field: number, value: number): void {
  requireCount(value, 'an integer', MOST_INT32)
  putInteger(writer, field, value)
}

export function putFixed(writer: BinaryWriter, field: number, value: number | bigint): void {
  requireInteger(value)
  if (value) writer.tag(field, WireType.Bit64).sfixed64(value)
}

export function putBytes(writer: BinaryWriter, field: number, value: Uint8Array): void {
  if (value.length > 0) writer.tag(field, WireType.LengthDelimited).bytes(value)
}

export function putString(writer: BinaryWriter, field: number, value: string): void {
  putBytes(writer, field, textBytes(value, 'a text'))
}

export function putMessage(writer: BinaryWriter, field: number, encoded: Uint8Array): void {
  writer.tag(field, WireType.LengthDelimited).bytes(encoded)
}

// The same fields for a `ByteWriter`: `BinaryWriter` allocates arrays per message, and a block has thousands.

/** @param value 64 bits; negative values as two's complement */
export function writeInteger(writer: ByteWriter, field: number, value: number | bigint): void {
  requireInteger(value)
  if (!value) return
  writer.uint((field << 3) | WireType.Varint)
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
    writer.uint(Number(value))
    return
  }
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) writer.byte(Number(rest & 0x7fn) | 0x80)
  writer.byte(Number(rest))
}

export function writeBytes(writer: ByteWriter, field: number, value: Uint8Array): void {
  if (value.length > 0) writeProtoMessage(writer, field, value)
}

export function writeProtoMessage(writer: ByteWriter, field: number, encoded: Uint8Array): void {
  writer.uint((field << 3) | WireType.LengthDelimited)
  writer.bytes(encoded)
}

/** Reads the value of a field with the given wire type. */
export type ProtoFieldReader = (reader: BinaryReader, wireType: WireType) => void

export type ProtoFieldReaders = Readonly<Record<number, ProtoFieldReader>>

/** Reads a message, passing each known field to its reader and skipping the rest. Throws if the encoding is invalid. */
export function readProtoMessage(encoded: Uint8Array, fields: ProtoFieldReaders): void {
  const reader = new BinaryReader(encoded)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    const read = fields[field]
    if (read === undefined) reader.skip(wireType, field)
    else read(reader, wireType)
  }
}

/**
 * Reads an int64 field as a number: heights and powers stay below 2^53.
 * @throws INVALID_ARGUMENT if the value does not
 */
export function readProtoInteger(reader: BinaryReader): number {
  const value = Number(reader.int64())
  if (Number.isSafeInteger(value)) return value
  throw new LockstepError('INVALID_ARGUMENT', `the integer ${value} of a message exceeds 2^53`)
}

/** Reads a string field. */
export function readProtoString(reader: BinaryReader): string {
  return bytesText(reader.bytes())
}
