import { EMPTY_BYTES } from '../../base/bytes.ts'
import { bytesText, requireCount, textBytes, unwritable } from '../../base/writable.ts'
import { ByteReader } from '../../storage/store/codec/byte-reader.ts'
import type { ByteWriter } from '../../storage/store/codec/byte-writer.ts'

/** Header of a store, which contains all items up to the next header. */
export interface StoreItem {
  readonly kind: 'store'
  readonly name: string
}

/** A node of an IAVL tree, or a row of FlatKV with its physical key. */
export interface NodeItem {
  readonly kind: 'node'
  readonly key: Uint8Array
  /** Undefined for an inner node. */
  readonly value: Uint8Array | undefined
  /** Height of the block that wrote it. */
  readonly version: number
  /** 0 for a leaf or a row. */
  readonly height: number
}

/** Header of a section that is not a store. */
export interface ExtensionItem {
  readonly kind: 'extension'
  readonly name: string
  readonly format: number
}

export interface PayloadItem {
  readonly kind: 'payload'
  readonly payload: Uint8Array
}

/** An item of the stream: `SnapshotItem` of cosmos.store.snapshots.v1, prefixed by its length. */
export type SnapshotItem = StoreItem | NodeItem | ExtensionItem | PayloadItem

// Protobuf tags: field number and wire type, 2 for bytes and 0 for a number.
const STORE = 0x0a
const NODE = 0x12
const EXTENSION = 0x1a
const PAYLOAD = 0x22
const FIRST_BYTES = 0x0a
const SECOND_BYTES = 0x12
const SECOND_NUMBER = 0x10
const THIRD_NUMBER = 0x18
const FOURTH_NUMBER = 0x20

function varintLength(value: number): number {
  requireCount(value, 'a number of an item')
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

/** Returns the length of a bytes field with tag and length. */
function fieldLength(bytes: Uint8Array): number {
  return 1 + varintLength(bytes.length) + bytes.length
}

/** Writes an item's length, its tag, and the length of its body. */
function begin(writer: ByteWriter, tag: number, body: number): void {
  writer.uint(1 + varintLength(body) + body)
  writer.byte(tag)
  writer.uint(body)
}

function putBytes(writer: ByteWriter, tag: number, bytes: Uint8Array): void {
  writer.byte(tag)
  writer.bytes(bytes)
}

function putNumber(writer: ByteWriter, tag: number, value: number): void {
  writer.byte(tag)
  writer.uint(value)
}

/** Writes one item. */
export function writeItem(writer: ByteWriter, item: SnapshotItem): void {
  switch (item.kind) {
    case 'node':
      writeNode(writer, item)
      break
    case 'store':
      writeStore(writer, item.name)
      break
    case 'extension':
      writeExtension(writer, item.name, item.format)
      break
    case 'payload':
      writePayload(writer, item.payload)
      break
  }
}

function writeStore(writer: ByteWriter, name: string): void {
  const text = textBytes(name, 'the name of a store')
  begin(writer, STORE, fieldLength(text))
  putBytes(writer, FIRST_BYTES, text)
}

function writeNode(writer: ByteWriter, { key, value, version, height }: NodeItem): void {
  // Only the height distinguishes a leaf from an inner node.
  if ((value === undefined) !== height > 0)
    throw unwritable('a node', 'a leaf has height 0 and a value')
  let body = fieldLength(key)
  if (value !== undefined) body += fieldLength(value)
  if (version !== 0) body += 1 + varintLength(version)
  if (height !== 0) body += 1 + varintLength(height)
  begin(writer, NODE, body)
  putBytes(writer, FIRST_BYTES, key)
  if (value !== undefined) putBytes(writer, SECOND_BYTES, value)
  if (version !== 0) putNumber(writer, THIRD_NUMBER, version)
  if (height !== 0) putNumber(writer, FOURTH_NUMBER, height)
}

function writeExtension(writer: ByteWriter, name: string, format: number): void {
  const text = textBytes(name, 'the name of a store')
  begin(writer, EXTENSION, fieldLength(text) + 1 + varintLength(format))
  putBytes(writer, FIRST_BYTES, text)
  putNumber(writer, SECOND_NUMBER, format)
}

function writePayload(writer: ByteWriter, payload: Uint8Array): void {
  begin(writer, PAYLOAD, fieldLength(payload))
  putBytes(writer, FIRST_BYTES, payload)
}

/** Yields the items of a chunk; byte fields are views. Throws if the bytes are not complete items. */
export function* readItems(chunk: Uint8Array): Generator<SnapshotItem, void> {
  const reader = new ByteReader(chunk)
  while (!reader.isAtEnd) {
    const item = new ByteReader(reader.bytes())
    const tag = item.byte()
    const body = new ByteReader(item.bytes())
    item.finish()
    yield readItem(tag, body)
    body.finish()
  }
}

function readItem(tag: number, body: ByteReader): SnapshotItem {
  switch (tag) {
    case STORE:
      return { kind: 'store', name: bytesText(field(body, FIRST_BYTES)) }
    case NODE:
      return readNode(body)
    case EXTENSION: {
      const name = bytesText(field(body, FIRST_BYTES))
      return { kind: 'extension', name, format: number(body, SECOND_NUMBER) }
    }
    case PAYLOAD:
      return { kind: 'payload', payload: field(body, FIRST_BYTES) }
    default:
      throw new TypeError(`item of tag ${tag}`)
  }
}

/** Reads the fields of a node in ascending order, as protobuf writers emit them; zeros may be omitted. */
function readNode(body: ByteReader): NodeItem {
  let key: Uint8Array = EMPTY_BYTES
  let value: Uint8Array | undefined
  let version = 0
  let height = 0
  let before = 0
  while (!body.isAtEnd) {
    const tag = body.byte()
    if (tag <= before) throw new TypeError(`field of tag ${tag} after tag ${before}`)
    before = tag
    if (tag === FIRST_BYTES) key = body.bytes()
    else if (tag === SECOND_BYTES) value = body.bytes()
    else if (tag === THIRD_NUMBER) version = body.uint()
    else if (tag === FOURTH_NUMBER) height = body.uint()
    else throw new TypeError(`field of tag ${tag}`)
  }
  // An empty value of a leaf is omitted.
  if (value === undefined && height === 0) value = EMPTY_BYTES
  return { kind: 'node', key, value, version, height }
}

function field(body: ByteReader, tag: number): Uint8Array {
  expectTag(body, tag)
  return body.bytes()
}

function number(body: ByteReader, tag: number): number {
  expectTag(body, tag)
  return body.uint()
}

function expectTag(body: ByteReader, tag: number): void {
  const found = body.byte()
  if (found !== tag) throw new TypeError(`field of tag ${found}, not ${tag}`)
}
