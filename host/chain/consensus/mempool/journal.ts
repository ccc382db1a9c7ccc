import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { concatBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import {
  encodeRecords,
  type PooledRecord,
  RECORD_OVERHEAD,
  type ReadRecords,
  readRecords,
} from './journal-record.ts'

/** Keeps the pool's transactions over a restart. */
export interface Journal {
  /** Resolves once the transactions would survive a crash of the process. @throws STORE_FULL */
  append(...records: readonly PooledRecord[]): Promise<void>
  /** Resolves once all that was appended would survive a crash of the process. @throws STORE_FULL */
  written(): Promise<void>
  /**
   * Returns the transactions that it held when it was opened, oldest first. Nothing is removed from the disk
   * before this is called.
   */
  restore(): ReadRecords
  /**
   * Replaces the contents by `live` and what is appended meanwhile. A crash leaves the old contents or
   * the new. Does nothing while it
   * runs already, or has just failed.
   * @throws CONSENSUS_FAILURE before `restore`: what nobody has read would be deleted.
   */
  rewrite(live: () => readonly PooledRecord[]): Promise<void>
  /** Replaces the contents by `live` at once: a crash of the process leaves the old contents or the new. @throws STORE_FULL */
  replace(live: readonly PooledRecord[]): void
  /** Bytes that the journal takes. */
  readonly bytes: number
  /** Writes what waits and closes. */
  close(): void
}

/** The write that the records appended in this turn share. */
interface Write {
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: LockstepError) => void
}

function openWrite(): Write {
  let resolve = () => {}
  let reject = (_: LockstepError) => {}
  const done = new Promise<void>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  return { done, resolve, reject }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written)
  }
}

/** Bytes appended after a rewrite that failed until the next. */
const RETRY_AFTER = 1 << 20

/** Bytes that a rewrite hands to the disk at a time: less than a millisecond of this thread. */
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
 * A journal in one file. It survives a crash of the process, not of the machine: what counts there is
 * the block, and a synchronous disk write for each transaction would cost more than the transaction.
 * All that is appended in one turn of the event loop goes out in one write.
 */
export class FileJournal implements Journal {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  #held: ReadRecords | undefined
  #file: number
  #bytes: number
  #waiting: PooledRecord[] = []
  #write: Write | undefined
  /** Records written to the old file since a rewrite began; undefined while none runs. */
  #since: Uint8Array[] | undefined
  #isClosed = false
  /** Changes when the contents are replaced: a rewrite of those before is given up. */
  #replaced = 0
  /** Bytes at which a rewrite that failed is tried again. */
  #retryAt = 0

  /**
   * Opens the file and reads what it holds. `onError` hears of a rewrite that failed.
   * @throws STORE_CORRUPTED where the system refuses it
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
        hint: `move ${path} away: it holds no more than transactions that wait for a block`,
        cause,
      })
    }
    this.#bytes = contents.length
    this.#held = readRecords(contents)
  }

  append(...records: readonly PooledRecord[]): Promise<void> {
    this.#waiting.push(...records)
    if (this.#write === undefined) {
      this.#write = openWrite()
      setImmediate(() => this.#flush())
    }
    return this.#write.done
  }

  written(): Promise<void> {
    return this.#write?.done ?? Promise.resolve()
  }

  restore(): ReadRecords {
    const held = this.#held
    if (held === undefined) {
      throw new LockstepError('CONSENSUS_FAILURE', `${this.#path} was restored before`)
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
      // A pool that was closed meanwhile has all in the old file.
      if (this.#isClosed || this.#replaced !== replaced)
        await rm(next, { force: true, recursive: true })
      else this.#takeOver(next, file.fd, bytes)
      await syncDirectory(dirname(this.#path))
    } catch (error) {
      // The old file has everything.
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

  /** In one turn, so that no record can fall between the two files. */
  #takeOver(next: string, file: number, bytes: number): void {
    const since = concatBytes(this.#since ?? [])
    writeAll(file, since)
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
      writeAll(this.#file, bytes)
      this.#bytes += bytes.length
      this.#since?.push(bytes)
      write.resolve()
    } catch (cause) {
      // Half a record would take room for nothing.
      ftruncateSync(this.#file, this.#bytes)
      write.reject(new LockstepError('STORE_FULL', `cannot write to ${this.#path}`, { cause }))
    }
  }
}
