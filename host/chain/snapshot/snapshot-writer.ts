import { LockstepError } from '../../base/error.ts'
import { ByteWriter } from '../../storage/store/codec/byte-writer.ts'
import { writeChunk } from './chunk-file.ts'
import { type SnapshotItem, writeItem } from './item-codec.ts'
import { type ChunkMetadata, MAX_CHUNK } from './metadata.ts'

/** Writes items into chunks. A chunk ends when the next item does not fit. */
export class SnapshotWriter {
  readonly #dir: string
  readonly #chunkBytes: number
  readonly #chunks: ChunkMetadata[] = []
  #content = new ByteWriter()
  /** A complete chunk that is not yet written. */
  #full: Uint8Array | undefined

  /** @param chunkBytes chunk size before compression; a larger item gets its own chunk */
  constructor(dir: string, chunkBytes: number) {
    this.#dir = dir
    this.#chunkBytes = chunkBytes
  }

  /** Number of chunks written so far. */
  get chunks(): number {
    return this.#chunks.length
  }

  /** True if `flush` must be called before the next item. */
  get isFull(): boolean {
    return this.#full !== undefined
  }

  add(item: SnapshotItem): void {
    const start = this.#content.length
    writeItem(this.#content, item)
    if (this.#content.length <= this.#chunkBytes) return
    const content = this.#content.finish()
    if (content.length - start > MAX_CHUNK) {
      throw new LockstepError(
        'UNSUPPORTED',
        `an item of ${content.length - start} bytes does not fit into a chunk of ${MAX_CHUNK}`,
      )
    }
    if (start === 0) return
    this.#full = content.subarray(0, start)
    this.#content = new ByteWriter(this.#chunkBytes)
    this.#content.raw(content.subarray(start))
  }

  async flush(): Promise<void> {
    const content = this.#full
    if (content === undefined) return
    this.#full = undefined
    await this.#write(content)
  }

  /**
   * Writes the rest of the stream.
   * @returns all chunks
   */
  async finish(): Promise<readonly ChunkMetadata[]> {
    await this.flush()
    await this.#write(this.#content.finish())
    return this.#chunks
  }

  async #write(content: Uint8Array): Promise<void> {
    this.#chunks.push(await writeChunk(this.#dir, this.#chunks.length, content))
  }
}
