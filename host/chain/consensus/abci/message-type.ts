import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { textBytes } from '../../../base/writable.ts'
import { putInteger, putMessage } from '../comet/proto.ts'
import { decodeTimestamp, encodeTimestamp, ZERO_TIME } from '../comet/timestamp.ts'

// Types of protobuf fields, from which the messages of ABCI are declared. Each rejects any wire type but its own.

/** Reads and writes the values of a field. */
export interface FieldType<Value> {
  /** Returns the value of an absent field. */
  initial(): Value
  /** Returns true if the field is left out. */
  isAbsent(value: Value): boolean
  /** @param before the value so far, which a repeated field extends */
  read(reader: BinaryReader, wireType: WireType, before?: Value): Value
  write(writer: BinaryWriter, field: number, value: Value): void
}

export function invalidAbci(what: string): LockstepError {
  return new LockstepError('PEER_INVALID', `ABCI: ${what}`)
}

function requireWireType(found: WireType, wanted: WireType): void {
  if (found !== wanted) throw invalidAbci(`a field has wire type ${found}, not ${wanted}`)
}

function safeInteger(value: bigint | number | string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw invalidAbci(`${value} is above 2^53`)
}

const { LengthDelimited, Varint } = WireType

/** Proto3 leaves out a scalar that has its default value. */
function isDefault(value: unknown): boolean {
  return !value || (value as { readonly length?: number }).length === 0
}

function scalar<Value>(
  wireType: WireType,
  initial: Value,
  read: (reader: BinaryReader) => Value,
  write: FieldType<Value>['write'],
): FieldType<Value> {
  return {
    initial: () => initial,
    isAbsent: isDefault,
    read: (reader, found) => {
      requireWireType(found, wireType)
      return read(reader)
    },
    write,
  }
}

/** Read as a view of the message. */
export const BYTES = scalar<Uint8Array>(
  LengthDelimited,
  EMPTY_BYTES,
  (reader) => reader.bytes(),
  putMessage,
)

export const STRING = scalar(
  LengthDelimited,
  '',
  (reader) => reader.string(),
  (writer, field, value) => putMessage(writer, field, textBytes(value, 'a text')),
)

/** int64 and int32: heights, powers, sizes. */
export const INTEGER = scalar<number>(
  Varint,
  0,
  (reader) => safeInteger(reader.int64()),
  putInteger,
)

/** uint64 and uint32. */
export const UNSIGNED_INTEGER = scalar<number>(
  Varint,
  0,
  (reader) => safeInteger(reader.uint64()),
  putInteger,
)

export const BIG_INTEGER = scalar<bigint>(
  Varint,
  0n,
  (reader) => BigInt(reader.int64()),
  putInteger,
)

export const BOOLEAN = scalar(
  Varint,
  false,
  (reader) => reader.bool(),
  (writer, field, value) => putInteger(writer, field, value ? 1 : 0),
)

/** Nanoseconds since 1970, in a google.protobuf.Timestamp. */
export const TIME: FieldType<bigint> = {
  ...scalar(
    LengthDelimited,
    ZERO_TIME,
    (reader) => decodeTimestamp(reader.bytes()),
    (writer, field, value) => putMessage(writer, field, encodeTimestamp(value)),
  ),
  isAbsent: () => false,
}

export function repeated<Element>(type: FieldType<Element>): FieldType<readonly Element[]> {
  return {
    initial: () => [],
    isAbsent: isDefault,
    read: (reader, wireType, before) => {
      // The array that `initial` made.
      const elements = before as Element[]
      elements.push(type.read(reader, wireType))
      return elements
    },
    write: (writer, field, values) => {
      for (const value of values) type.write(writer, field, value)
    },
  }
}

/** Returns the type of a message that may be absent. */
export function optionalMessage<Message extends object>(
  type: MessageType<Message>,
): FieldType<Message | undefined> {
  return {
    initial: () => undefined,
    isAbsent: isDefault,
    read: (reader, wireType) => type.read(reader, wireType),
    write: (writer, field, message) => message && type.write(writer, field, message),
  }
}

/** Returns a type whose values are represented by messages. */
export function mapped<Message extends object, Value>(
  type: MessageType<Message>,
  decode: (message: Message) => Value,
  encode: (value: Value) => Message,
): FieldType<Value> {
  return {
    initial: () => decode(type.initial()),
    isAbsent: () => false,
    read: (reader, wireType) => decode(type.read(reader, wireType)),
    write: (writer, field, value) => type.write(writer, field, encode(value)),
  }
}

/** The number and the type of each field of a message, by the name that it has here; in ascending order. */
export type MessageFields<Message> = {
  readonly [Name in keyof Message]-?: readonly [number: number, type: FieldType<Message[Name]>]
}

interface NamedField<Message> {
  readonly name: keyof Message
  readonly number: number
  readonly type: FieldType<Message[keyof Message]>
}

/** A message. As a field it is always written, which is what `nullable = false` means in CometBFT. */
export class MessageType<Message extends object> implements FieldType<Message> {
  readonly #fields: readonly NamedField<Message>[]
  readonly #byNumber: ReadonlyMap<number, NamedField<Message>>

  constructor(fields: MessageFields<Message>) {
    this.#fields = (Object.keys(fields) as (keyof Message)[]).map((name) => {
      const [number, type] = fields[name]
      return { name, number, type: type as FieldType<Message[keyof Message]> }
    })
    this.#byNumber = new Map(this.#fields.map((field) => [field.number, field]))
  }

  initial(): Message {
    const message: Partial<Message> = {}
    for (const { name, type } of this.#fields) message[name] = type.initial()
    return message as Message
  }

  isAbsent(): boolean {
    return false
  }

  read(reader: BinaryReader, wireType: WireType): Message {
    requireWireType(wireType, LengthDelimited)
    return this.decode(reader.bytes())
  }

  /** Skips fields that are not declared. */
  decode(encoded: Uint8Array): Message {
    const message = this.initial()
    const reader = new BinaryReader(encoded)
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      const field = this.#byNumber.get(number)
      if (field === undefined) reader.skip(wireType, number)
      else message[field.name] = field.type.read(reader, wireType, message[field.name])
    }
    return message
  }

  write(writer: BinaryWriter, field: number, message: Message): void {
    writer.tag(field, LengthDelimited).fork()
    for (const { name, number, type } of this.#fields) {
      const value = message[name]
      if (!type.isAbsent(value)) type.write(writer, number, value)
    }
    writer.join()
  }
}
