import { randomFillSync } from 'node:crypto'
import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { writeFully } from '../../table/file-bytes.ts'
import { storeError } from '../../table/store-error.ts'
import { FRAME_HEADER, frameHeader, MARK_BYTES, scanFrames } from './wal-frame.ts'

/**
 * Concatenated records in a file that is not synced: an appended record survives the process, not the machine. The
 * file starts with a random mark, with which every frame starts.
 */
export class UnsyncedLog {
  readonly path: string
  /** The records that the file held when it was opened, without a torn one at its end. */
  readonly records: readonly Uint8Array[]
  readonly #file: number
  #mark: Uint8Array
  #count: number
  #bytes: number

  /** Opens the file at `path`, or creates it. @throws STORE_CORRUPTED, STORE_FULL */
  constructor(path: string) {
    this.path = path
    try {
      this.#file = openSync(path, 'a+', 0o600)
      const bytes = readFileSync(path)
      this.#mark = bytes.subarray(0, MARK_BYTES)
      const frames = bytes.subarray(MARK_BYTES)
      const { offsets, end } = scanFrames(frames, this.#mark, 0)
      const ends = [...offsets.slice(1), end]
      this.records = offsets.map(
        // A Uint8Array, because slices of a Buffer are views
        (offset, i) => new Uint8Array(frames.subarray(offset + FRAME_HEADER, ends[i])),
      )
      this.#count = offsets.length
      this.#bytes = MARK_BYTES + end
      if (this.#count === 0) this.clear()
      else if (this.#bytes < bytes.length) ftruncateSync(this.#file, this.#bytes)
    } catch (thrown) {
      throw storeError(path, thrown)
    }
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @throws STORE_FULL; the log is then unchanged */
  append(record: Uint8Array): void {
    const frame = Buffer.concat([frameHeader(this.#mark, this.#count, record), record])
    try {
      writeFully(this.#file, frame)
    } catch (thrown) {
      ftruncateSync(this.#file, this.#bytes)
      throw storeError(this.path, thrown)
    }
    this.#count++
    this.#bytes += frame.length
  }

  /** Syncs everything appended, which is on disk on return. */
  sync(): void {
    try {
      fdatasyncSync(this.#file)
    } catch (thrown) {
      throw storeError(this.path, thrown)
    }
  }

  /** Drops all records. */
  clear(): void {
    const mark = randomFillSync(new Uint8Array(MARK_BYTES))
    try {
      ftruncateSync(this.#file, 0)
      writeFully(this.#file, mark)
    } catch (thrown) {
      throw storeError(this.path, thrown)
    }
    this.#mark = mark
    this.#count = 0
    this.#bytes = MARK_BYTES
  }

  close(): void {
    closeSync(this.#file)
  }
}
