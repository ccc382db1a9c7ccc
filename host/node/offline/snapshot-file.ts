import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { chunkName } from '../../chain/snapshot/chunk-file.ts'
import {
  decodeMetadata,
  encodeMetadata,
  type SnapshotMetadata,
} from '../../chain/snapshot/metadata.ts'
import { isChunk, storeChunk } from '../../chain/snapshot/received-chunk.ts'
import {
  beginSnapshot,
  completeSnapshot,
  findSnapshot,
  type ListedSnapshot,
  METADATA,
  readMetadata,
  removePartial,
} from '../../chain/snapshot/snapshot-dir.ts'
import { invalidSnapshot } from '../../chain/snapshot/snapshot-format.ts'
import { storeError } from '../../storage/table/store-error.ts'
import { readTarHeader, TAR_BLOCK, TAR_END, tarHeader, tarPadding } from '../tar-archive.ts'

// A snapshot as one file: an archive of metadata.json and then the chunks in their order, all of the time 0, so that
// equal snapshots are equal files.

/** Some hundred thousand chunks. */
const MAX_METADATA = 64 * 1024 * 1024

/** Called with the number of chunks copied so far; an error it throws ends the copy. */
type OnChunk = (copied: number, of: number) => void | Promise<void>

async function appendFile(file: FileHandle, name: string, content: Uint8Array): Promise<void> {
  await file.write(tarHeader(name, content.length, 0))
  await file.write(content)
  await file.write(new Uint8Array(tarPadding(content.length)))
}

/** @throws SNAPSHOT_INVALID if the chunk is missing or damaged */
async function chunkBytes(dir: string, index: number, metadata: SnapshotMetadata) {
  const path = join(dir, chunkName(index))
  const chunk = metadata.chunks[index] as SnapshotMetadata['chunks'][number]
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (cause) {
    throw invalidSnapshot(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
  try {
    // One byte more than stated: a longer file is not read whole.
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(chunk.size + 1),
      0,
      chunk.size + 1,
      0,
    )
    const bytes = buffer.subarray(0, bytesRead)
    if (isChunk(bytes, chunk)) return bytes
    throw invalidSnapshot(`${path} is damaged: it is not the chunk that ${METADATA} states`)
  } finally {
    await file.close()
  }
}

/**
 * Writes the snapshot in `dir` to a new file, checking each chunk. After an error no file is left.
 * @throws INVALID_ARGUMENT if the file exists or cannot be created, SNAPSHOT_INVALID, STORE_FULL
 */
export async function dumpSnapshot(
  dir: string,
  path: string,
  onChunk: OnChunk,
): Promise<SnapshotMetadata> {
  const metadata = readMetadata(dir)
  if (existsSync(path)) {
    throw new LockstepError('INVALID_ARGUMENT', `${path} exists`, { hint: 'name another file' })
  }
  const partial = `${path}.partial`
  let file: FileHandle
  try {
    file = await open(partial, 'w', 0o600)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `cannot write ${path}: ${messageOf(cause)}`, {
      cause,
    })
  }
  try {
    const text = new TextEncoder().encode(encodeMetadata(metadata))
    await appendFile(file, METADATA, text)
    for (let i = 0; i < metadata.chunks.length; i++) {
      const bytes = await chunkBytes(dir, i, metadata)
      await appendFile(file, chunkName(i), bytes)
      await onChunk(i + 1, metadata.chunks.length)
    }
    await file.write(TAR_END)
    await file.sync()
    await file.close()
    await rename(partial, path)
    return metadata
  } catch (thrown) {
    await file.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw storeError(path, thrown)
  }
}

/** Reads the files of an archive one after another. */
class ArchiveReader {
  readonly #file: FileHandle
  readonly #path: string
  #offset = 0

  constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  /**
   * Returns the content of the next file, which must have this name.
   * @throws SNAPSHOT_INVALID if it has another one, or more than `most` bytes, or the archive ends
   */
  async next(wanted: string, most: number): Promise<Buffer> {
    const begin = this.#offset
    const header = readTarHeader(await this.#read(TAR_BLOCK))
    if (header === undefined) throw this.#invalid(begin, `no file ${wanted} begins there`)
    const { name, size } = header
    if (name !== wanted) throw this.#invalid(begin, `"${name}" is there, not ${wanted}`)
    if (size > most) throw this.#invalid(begin, `${name} has ${size} bytes, more than ${most}`)
    const content = await this.#read(size)
    this.#offset += tarPadding(size)
    return content
  }

  async #read(size: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(size), 0, size, this.#offset)
    if (bytesRead < size) throw this.#invalid(this.#offset + bytesRead, 'it ends there')
    this.#offset += size
    return buffer
  }

  #invalid(offset: number, what: string): LockstepError {
    return invalidSnapshot(`${this.#path} is not a dumped snapshot, at byte ${offset}: ${what}`, {
      hint: 'write it with `lockstep snapshot dump`, and copy all of it',
    })
  }
}

/**
 * Adds a dumped snapshot to a folder of snapshots, checking each chunk; its rows are checked by the import. Run again
 * after an interruption, it starts over. The caller holds the home's lock.
 * @throws SNAPSHOT_INVALID; REFUSED_ARGUMENT if the folder has another snapshot of the height; STORE_FULL
 */
export async function loadSnapshot(
  path: string,
  folder: string,
  onChunk: OnChunk,
): Promise<ListedSnapshot> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `cannot read ${path}: ${messageOf(cause)}`, {
      cause,
    })
  }
  try {
    const archive = new ArchiveReader(file, path)
    const text = (await archive.next(METADATA, MAX_METADATA)).toString('utf8')
    const metadata = decodeMetadata(text, `${METADATA} of ${path}`)
    const { height, chunks, hash } = metadata
    const known = findSnapshot(folder, height)
    if (known?.metadata.hash === hash) return known
    if (known !== undefined) {
      throw new LockstepError(
        'REFUSED_ARGUMENT',
        `${known.dir} holds another snapshot of height ${height}`,
        { hint: 'remove that folder, or keep it' },
      )
    }
    removePartial(folder)
    const partial = beginSnapshot(folder, height)
    for (const [i, chunk] of chunks.entries()) {
      const bytes = await archive.next(chunkName(i), chunk.size)
      if (!isChunk(bytes, chunk)) {
        throw invalidSnapshot(`${path} is damaged: ${chunkName(i)} does not match its SHA-256`)
      }
      await storeChunk(partial, i, bytes)
      await onChunk(i + 1, chunks.length)
    }
    return { dir: await completeSnapshot(folder, partial, metadata), metadata }
  } catch (thrown) {
    removePartial(folder)
    throw thrown
  } finally {
    await file.close()
  }
}
