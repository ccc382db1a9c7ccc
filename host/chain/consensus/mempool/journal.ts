import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { concatBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { writeFully } from '../../../storage/table/file-bytes.ts'
import {
  encodeRecords,
  type PooledRecord,
  RECORD_OVERHEAD,
  type ReadRecords,
  readRecords,
} from './journal-record.ts'

/** Stores the pool's transactions across restarts. */
export interface Journal {
  /**
   * Resolves when the transactions would survive a crash of the process.
   * @throws STORE_FULL
   */
  append(...records: readonly PooledRecord[]): Promise<void>
  /**
   * Resolves when all appended transactions would survive a crash of the process.
   * @throws STORE_FULL
   */
  written(): Promise<void>
  /** Returns the transactions held at opening, oldest first. Nothing is removed from the disk before this call. */
  restore(): ReadRecords
  /**
   * Replaces the contents with `live` and what is appended meanwhile. A crash leaves either the old or the new
   * contents. Does nothing if a rewrite is running or has just failed.
   * @throws CONSENSUS_FAILURE before `restore`, since unread records would be deleted
   */
  rewrite(live: () => readonly PooledRecord[]): Promise<void>
  /**
   * Replaces the contents with `live` at once. A crash of the process leaves either the old or the new contents.
   * @throws STORE_FULL
   */
  replace(live: readonly PooledRecord[]): void
  /** Size of the journal in bytes. */
  readonly bytes: number
  /** Writes pending records and closes the journal. */
  close(): void
}

/** Bytes appended after a failed rewrite before the next attempt. */
const RETRY_AFTER = 1 << 20

/** Chunk size of a rewrite in bytes: under a millisecond of the main thread. */
const CHUNK = 1 << 18

function* chunksOf(records: readonly PooledRecord[]): Iterable<Uint8Array> {
  let waiting: PooledRecord[] = []
  let bytes = 0
  for (const record of records) {
    waiting.push(record)
    bytes += RECORD_OVERHEAD + record.raw.length
    if (bytes < CHUNK) continue
    yield encodeRecords(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield encodeRecords(waiting)
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * A journal in one file. It survives a crash of the process but not of the machine: only blocks must survive that,
 * and a synchronous disk write would cost more than the transaction. All records appended in one event loop iteration
 * share one write.
 */
export class FileJournal implements Journal {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  #held: ReadRecords | undefined
  #file: number
  #bytes: number
  #waiting: PooledRecord[] = []
  /** The shared write of all records appended in one event loop iteration. */
  #write: PromiseWithResolvers<void> | undefined
  /** Records written to the old file since the current rewrite began; undefined outside a rewrite. */
  #since: Uint8Array[] | undefined
  #isClosed = false
  /** Number of replacements: a rewrite aborts if it changes. */
  #replaced = 0
  /** Size at which a failed rewrite is tried again. */
  #retryAt = 0

  /**
   * Opens the file and reads its contents.
   * @param onError called if a rewrite fails
   * @throws STORE_CORRUPTED if the file cannot be opened
   */
  constructor(path: string, onError: (error: unknown) => void = () => {}) {
    this.#path = path
    this.#onError = onError
    let contents: Buffer
    try {
      this.#file = openSync(path, 'a')
      contents = readFileSync(path)
    } catch (cause) {
      throw new LockstepError('STORE_CORRUPTED', `cannot open ${path}: ${messageOf(cause)}`, {
        hint: `move ${path} away: it only holds transactions that wait for a block`,
        cause,
      })
    }
    this.#bytes = contents.length
    this.#held = readRecords(contents)
  }

  append(...records: readonly PooledRecord[]): Promise<void> {
    this.#waiting.push(...records)
    if (this.#write === undefined) {
      this.#write = Promise.withResolvers()
      setImmediate(() => this.#flush())
    }
    return this.#write.promise
  }

  written(): Promise<void> {
    return this.#write?.promise ?? Promise.resolve()
  }

  restore(): ReadRecords {
    const held = this.#held
    if (held === undefined) {
      throw new LockstepError('CONSENSUS_FAILURE', `${this.#path} is already restored`)
    }
    this.#held = undefined
    return held
  }

  get bytes(): number {
    return this.#bytes
  }

  async rewrite(live: () => readonly PooledRecord[]): Promise<void> {
    if (this.#held !== undefined) {
      throw new LockstepError('CONSENSUS_FAILURE', `${this.#path} is not restored yet`)
    }
    if (this.#since !== undefined || this.#isClosed || this.#bytes < this.#retryAt) return
    const records = live()
    const replaced = this.#replaced
    this.#since = []
    const next = `${this.#path}.new`
    let file: FileHandle | undefined
    try {
      file = await open(next, 'w')
      let bytes = 0
      for (const chunk of chunksOf(records)) {
        await file.writeFile(chunk)
        bytes += chunk.length
      }
      await file.sync()
      // The old file is complete if the journal was closed or replaced meanwhile.
      if (this.#isClosed || this.#replaced !== replaced)
        await rm(next, { force: true, recursive: true })
      else this.#takeOver(next, file.fd, bytes)
      await syncDirectory(dirname(this.#path))
    } catch (error) {
      // The old file is complete.
      await rm(next, { force: true, recursive: true })
      this.#retryAt = this.#bytes + RETRY_AFTER
      this.#onError(error)
    } finally {
      this.#since = undefined
      await file?.close()
    }
  }

  replace(live: readonly PooledRecord[]): void {
    this.#flush()
    if (this.#bytes === 0 && live.length === 0) return
    this.#replaced++
    const bytes = encodeRecords(live)
    try {
      if (bytes.length === 0) {
        ftruncateSync(this.#file, 0)
      } else {
        const next = `${this.#path}.live`
        writeFileSync(next, bytes)
        const opened = openSync(next, 'a')
        renameSync(next, this.#path)
        closeSync(this.#file)
        this.#file = opened
      }
    } catch (cause) {
      throw new LockstepError('STORE_FULL', `cannot write to ${this.#path}`, { cause })
    }
    this.#bytes = bytes.length
  }

  close(): void {
    this.#flush()
    this.#isClosed = true
    closeSync(this.#file)
  }

  /** Synchronous, so that no record can be lost between the two files. */
  #takeOver(next: string, file: number, bytes: number): void {
    const since = concatBytes(this.#since ?? [])
    writeFully(file, since)
    const opened = openSync(next, 'a')
    renameSync(next, this.#path)
    closeSync(this.#file)
    this.#file = opened
    this.#bytes = bytes + since.length
  }

  #flush(): void {
    const write = this.#write
    if (write === undefined) return
    const bytes = encodeRecords(this.#waiting)
    this.#waiting = []
    this.#write = undefined
    try {
      writeFully(this.#file, bytes)
      this.#bytes += bytes.length
      this.#since?.push(bytes)
      write.resolve()
    } catch (cause) {
      // Remove a partial record.
      ftruncateSync(this.#file, this.#bytes)
      write.reject(new LockstepError('STORE_FULL', `cannot write to ${this.#path}`, { cause }))
    }
  }
}
