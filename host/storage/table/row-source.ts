import { EMPTY_BYTES, isZero } from '../../base/bytes.ts'
import type { Version } from './version.ts'

/** A buffer of rows, each addressed by the offset of its key. Rows never change once they are added. */
export interface RowSource {
  readonly bytes: Uint8Array
  /** A view of the same bytes. */
  readonly view: DataView
  height(offset: number): number
  keyLength(offset: number): number
  /** Bytes of the key and the value. */
  rowBytes(offset: number): number
  /** Returns a version whose value is a view of the bytes. */
  version(offset: number): Version
  /** Plain data from which `openSource` opens the same source on another thread. */
  readonly shared: SharedRows
}

/** A source as plain data. Its bytes are in shared memory if another thread is to read them. */
export type SharedRows =
  | { readonly kind: 'arena'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'packed'
      readonly height: number
      readonly bytes: Uint8Array
      readonly width: number
      readonly keyLength: number
    }

/** Opens a source that another thread shares, for reading. */
export function openSource(rows: SharedRows): RowSource {
  return rows.kind === 'arena'
    ? new ArenaSource(rows.bytes)
    : new PackedSource(rows.height, rows.bytes, rows.width, rows.keyLength)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Concatenated rows of one height and one width. A value of zeros is a tombstone. */
export class PackedSource implements RowSource {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly #height: number
  readonly #width: number
  readonly #keyLength: number

  constructor(height: number, bytes: Uint8Array, width: number, keyLength: number) {
    // A Uint8Array, because slices of a Buffer are views
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    this.view = viewOf(bytes)
    this.#height = height
    this.#width = width
    this.#keyLength = keyLength
  }

  get shared(): SharedRows {
    const { bytes } = this
    return {
      kind: 'packed',
      height: this.#height,
      bytes,
      width: this.#width,
      keyLength: this.#keyLength,
    }
  }

  height(): number {
    return this.#height
  }

  keyLength(): number {
    return this.#keyLength
  }

  rowBytes(): number {
    return this.#width
  }

  version(offset: number): Version {
    const start = offset + this.#keyLength
    const end = offset + this.#width
    const value = isZero(this.bytes, start, end) ? EMPTY_BYTES : this.bytes.subarray(start, end)
    return { height: this.#height, value }
  }
}

/** Bytes before a row's key: its height (a double), the lengths of key and value (words). */
const HEADER = 16

/**
 * A buffer into which one thread copies rows of any height and length. Other threads read the rows that they know of.
 */
export class ArenaSource implements RowSource {
  readonly bytes: Uint8Array
  readonly view: DataView
  #end = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = viewOf(bytes)
  }

  static ofCapacity(capacity: number): ArenaSource {
    return new ArenaSource(new Uint8Array(new SharedArrayBuffer(capacity)))
  }

  get shared(): SharedRows {
    return { kind: 'arena', bytes: this.bytes }
  }

  static roomFor(key: Uint8Array, value: Uint8Array): number {
    return HEADER + key.length + value.length
  }

  hasRoom(bytes: number): boolean {
    return this.#end + bytes <= this.bytes.length
  }

  /** Copies a row, for which there must be room. @returns its offset. */
  add(height: number, key: Uint8Array, value: Uint8Array): number {
    const offset = this.#end + HEADER
    this.view.setFloat64(this.#end, height)
    this.view.setUint32(offset - 8, key.length)
    this.view.setUint32(offset - 4, value.length)
    this.bytes.set(key, offset)
    this.bytes.set(value, offset + key.length)
    this.#end = offset + key.length + value.length
    return offset
  }

  /** Removes the row at `offset`, which must be the last. */
  takeBack(offset: number): void {
    this.#end = offset - HEADER
  }

  height(offset: number): number {
    return this.view.getFloat64(offset - HEADER)
  }

  keyLength(offset: number): number {
    return this.view.getUint32(offset - 8)
  }

  rowBytes(offset: number): number {
    return this.keyLength(offset) + this.view.getUint32(offset - 4)
  }

  version(offset: number): Version {
    const start = offset + this.keyLength(offset)
    const end = start + this.view.getUint32(offset - 4)
    return { height: this.height(offset), value: this.bytes.subarray(start, end) }
  }
}
