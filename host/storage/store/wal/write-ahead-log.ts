import { closeSync, fdatasyncSync, openSync, unlinkSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { LockstepError } from '../../../base/error.ts'
import { readFully } from '../../table/file-bytes.ts'
import { storeError } from '../../table/store-error.ts'
import { FRAME_HEADER, frameAt, frameHeader } from './wal-frame.ts'
import { type WalHead, writeHead } from './wal-head.ts'
import { DISK, type WalIo } from './wal-io.ts'
import { type OpenedWal, openWal, type WalFile, type WalRepair, walPath } from './wal-opening.ts'

/** A file of this size gets a successor after all of it is on disk; a file of twice the size gets one at once. */
const FILE_BYTES = 64 * 1024 * 1024

export interface WalOptions {
  /**
   * True if `append` resolves after the operating system has the record, which then survives the process but not the
   * machine. It is on disk after `sync`.
   */
  readonly isLate?: boolean
  readonly fileBytes?: number
  readonly io?: WalIo
}

/** Position of a height's record: all that another thread needs to read it. */
export interface WalLocation {
  readonly height: number
  readonly file: string
  readonly offset: number
  readonly length: number
}

/** An append that is not on disk yet. */
interface Waiter {
  readonly resolve: () => void
  readonly reject: (thrown: unknown) => void
}

/** The part of the latest file that is on disk. */
interface SyncedPart {
  readonly frames: number
  readonly end: number
}

/**
 * The write-ahead log: records by height, without gaps, in files of about 64 MiB. It is the only point of durability:
 * a record that `append` acknowledged is there after any crash, or opening the log fails. After a failed write it
 * takes no more records until it is reopened.
 */
export class WriteAheadLog {
  /** The torn write that opening truncated; it was never acknowledged. */
  readonly repaired: WalRepair | undefined
  readonly #dir: string
  readonly #io: WalIo
  readonly #isLate: boolean
  readonly #fileBytes: number
  readonly #files: WalFile[]
  /** File descriptors of the directory and of the last file. */
  readonly #directory: number
  #file: number | undefined
  #head: WalHead
  #synced: SyncedPart = { frames: 0, end: 0 }
  /** True while the directory entry of the last file may not be on disk. */
  #isCreated = false
  #waiters: Waiter[] = []
  #syncing: Promise<void> | undefined
  /** Calls of `sync` in progress: their files stay open. */
  readonly #syncs = new Set<Promise<void>>()
  #removing: Promise<void> = Promise.resolve()
  #failure: LockstepError | undefined

  /** @throws STORE_CORRUPTED, STORE_FULL */
  static open(dir: string, options: WalOptions = {}): WriteAheadLog {
    try {
      return new WriteAheadLog(dir, openWal(dir, options.isLate), options)
    } catch (thrown) {
      throw storeError(dir, thrown)
    }
  }

  private constructor(dir: string, opened: OpenedWal, options: WalOptions) {
    this.#dir = dir
    this.#io = options.io ?? DISK
    this.#isLate = options.isLate ?? false
    this.#fileBytes = options.fileBytes ?? FILE_BYTES
    this.#files = opened.files
    this.#head = opened.head
    this.repaired = opened.repaired
    this.#directory = openSync(dir, 'r')
    const last = this.#files.at(-1)
    if (last === undefined) return
    this.#file = openSync(last.path, 'a')
    this.#synced = { frames: last.offsets.length, end: last.end }
  }

  /** Lowest height; -1 if empty. */
  get earliest(): number {
    return this.#files[0]?.first ?? -1
  }

  /** Latest height; -1 if empty. It may not be on disk yet. */
  get latest(): number {
    const last = this.#files.at(-1)
    return last === undefined ? -1 : last.first + last.offsets.length - 1
  }

  /** The lowest height of state to retain; -1 if unset. The members follow it. */
  get pruneHeight(): number {
    return this.#head.pruneHeight
  }

  /** Raises the prune height; durable on return. @throws STORE_FULL */
  raisePruneHeight(pruneHeight: number): void {
    const head = { ...this.#head, pruneHeight }
    try {
      writeHead(this.#dir, head)
    } catch (thrown) {
      throw storeError(this.#dir, thrown)
    }
    this.#head = head
  }

  /**
   * Writes the record of the next height, which `read` finds from now on. Resolves after it is on disk; records
   * written meanwhile share the next sync. @throws STORE_FULL, STORE_CORRUPTED
   */
  append(height: number, record: Uint8Array): Promise<void> {
    const { latest } = this
    if (latest >= 0 && height !== latest + 1) {
      return Promise.reject(
        new LockstepError(
          'INVALID_ARGUMENT',
          `record of height ${height} cannot be appended to a write-ahead log that ends with height ${latest}`,
        ),
      )
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    try {
      this.#write(height, record)
    } catch (thrown) {
      return Promise.reject(this.#fail(thrown))
    }
    const synced = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
    })
    this.#syncing ??= this.#sync()
    return synced
  }

  /** @throws STORE_CORRUPTED if the record is missing or damaged. */
  read(height: number): Uint8Array {
    return readWalRecord(this.location(height))
  }

  /** Returns the position of a record, for `readWalRecord`. @throws STORE_CORRUPTED if it is missing. */
  location(height: number): WalLocation {
    const file = this.#files.findLast(({ first }) => first <= height)
    const offset = file?.offsets[height - file.first]
    if (file === undefined || offset === undefined) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `write-ahead log ${this.#dir} holds heights ${this.earliest} to ${this.latest}, not ${height}`,
        { data: { height } },
      )
    }
    const end = file.offsets[height - file.first + 1] ?? file.end
    return { height, file: file.path, offset, length: end - offset - FRAME_HEADER }
  }

  /**
   * Removes the files that hold only records below `height`, the oldest first, while `most` bytes or more are left.
   * The latest file always stays.
   */
  prune(below: number, most = 0): void {
    let bytes = this.#files.reduce((sum, { end }) => sum + end, 0)
    for (let next = this.#files[1]; next !== undefined && next.first <= below; ) {
      bytes -= this.#files[0]?.end ?? 0
      if (bytes < most) return
      const file = this.#files.shift() as WalFile
      this.#removing = this.#removing.then(() => this.#remove(file.path))
      next = this.#files[1]
    }
  }

  /**
   * Removes the records above `height`, the latest first, so that a crash leaves a log without gaps. Waits for writes
   * in flight first. @throws STORE_FULL
   */
  async cut(height: number): Promise<void> {
    await this.#idle()
    if (this.#failure !== undefined) throw this.#failure
    if (this.latest <= height) return
    try {
      for (let last = this.#files.at(-1); last !== undefined && last.first > height; ) {
        this.#drop(last)
        last = this.#files.at(-1)
      }
      const last = this.#files.at(-1)
      const end = last?.offsets[height + 1 - last.first]
      if (last !== undefined && end !== undefined)
        this.#truncate(last, height + 1 - last.first, end)
      if (!this.#isLate) await this.sync()
    } catch (thrown) {
      throw this.#fail(thrown)
    }
  }

  /** Resolves when everything appended is on disk. @throws STORE_FULL */
  async sync(): Promise<void> {
    await this.#syncing
    if (this.#failure !== undefined) throw this.#failure
    if (this.#file === undefined) return
    const syncing = this.#syncBoth(this.#file)
    const ended = syncing
      .catch(() => undefined)
      .finally(() => {
        this.#syncs.delete(ended)
      })
    this.#syncs.add(ended)
    try {
      await syncing
    } catch (thrown) {
      throw this.#fail(thrown)
    }
  }

  /** Waits for writes in flight, then closes the files. */
  async close(): Promise<void> {
    this.#failure ??= new LockstepError(
      'INVALID_ARGUMENT',
      `write-ahead log ${this.#dir} is closed`,
    )
    await this.#idle()
    await this.#removing
    if (this.#file !== undefined) closeSync(this.#file)
    closeSync(this.#directory)
  }

  /** Resolves when no sync is in progress. A loop, because a waiting sync starts after another. */
  async #idle(): Promise<void> {
    while (this.#syncing !== undefined || this.#syncs.size > 0) {
      await Promise.all([this.#syncing, ...this.#syncs])
    }
  }

  #write(height: number, record: Uint8Array): void {
    if (this.#isLastFull()) this.#begin(height)
    const file = this.#files.at(-1) as WalFile
    try {
      this.#writeAll([frameHeader(this.#head.mark, height, record), record])
    } catch (thrown) {
      this.#cut({ frames: file.offsets.length, end: file.end })
      throw thrown
    }
    file.offsets.push(file.end)
    file.end += FRAME_HEADER + record.length
  }

  #writeAll(parts: Uint8Array[]): void {
    while (parts.length > 0) {
      let count = this.#io.append(this.#file as number, parts)
      if (count === 0) throw new Error('the file takes no more')
      while (parts.length > 0 && count >= (parts[0] as Uint8Array).length) {
        count -= (parts.shift() as Uint8Array).length
      }
      if (count > 0) parts[0] = (parts[0] as Uint8Array).subarray(count)
    }
  }

  #isLastFull(): boolean {
    const last = this.#files.at(-1)
    if (last === undefined) return true
    if (last.end < this.#fileBytes) return false
    return this.#synced.end === last.end || last.end >= 2 * this.#fileBytes
  }

  /** Starts a file. The previous one is on disk then, so that only the latest can ever end in a torn frame. */
  #begin(first: number): void {
    const before = this.#files.at(-1)
    if (before !== undefined && (this.#isLate || this.#synced.end < before.end)) {
      fdatasyncSync(this.#file as number)
    }
    const path = walPath(this.#dir, first)
    const file = openSync(path, 'ax', 0o600)
    if (this.#file !== undefined) this.#retire(this.#file)
    this.#file = file
    this.#files.push({ path, first, offsets: [], end: 0 })
    this.#synced = { frames: 0, end: 0 }
    this.#isCreated = true
  }

  /** Closes a file after no sync can use it. */
  #retire(file: number): void {
    if (this.#syncing === undefined && this.#syncs.size === 0) closeSync(file)
    else void Promise.all([this.#syncing, ...this.#syncs]).finally(() => closeSync(file))
  }

  /** Syncs until no append is pending. */
  async #sync(): Promise<void> {
    // Appends of the same tick share the first sync.
    await Promise.resolve()
    while (this.#waiters.length > 0) {
      const waiters = this.#waiters
      this.#waiters = []
      const last = this.#files.at(-1) as WalFile
      const synced = { frames: last.offsets.length, end: last.end }
      try {
        await this.#syncLast()
      } catch (thrown) {
        const failure = this.#fail(thrown)
        this.#cut(this.#synced)
        for (const { reject } of [...waiters, ...this.#waiters.splice(0)]) reject(failure)
        break
      }
      if (last === this.#files.at(-1)) this.#synced = synced
      for (const { resolve } of waiters) resolve()
    }
    this.#syncing = undefined
  }

  async #syncBoth(file: number): Promise<void> {
    await this.#io.sync(file)
    await this.#io.sync(this.#directory)
  }

  async #syncLast(): Promise<void> {
    if (this.#isLate) return
    const isCreated = this.#isCreated
    this.#isCreated = false
    await this.#io.sync(this.#file as number)
    if (isCreated) await this.#io.sync(this.#directory)
  }

  /** Truncates the last file to an earlier state. If that fails, the next opening finds a torn end. */
  #cut({ frames, end }: SyncedPart): void {
    const file = this.#files.at(-1) as WalFile
    file.offsets.length = frames
    file.end = end
    try {
      this.#io.truncate(this.#file as number, end)
    } catch {
      // The first failure is the one to report.
    }
    if (frames > 0) return
    this.#files.pop()
  }

  async #remove(path: string): Promise<void> {
    try {
      await unlink(path)
      await this.#io.sync(this.#directory)
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Removes the last file, and continues with the previous one. */
  #drop(last: WalFile): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#isCreated = false
    unlinkSync(last.path)
    this.#files.pop()
    const before = this.#files.at(-1)
    this.#synced = { frames: before?.offsets.length ?? 0, end: before?.end ?? 0 }
    if (before !== undefined) this.#file = openSync(before.path, 'a')
  }

  #truncate(file: WalFile, frames: number, end: number): void {
    this.#io.truncate(this.#file as number, end)
    file.offsets.length = frames
    file.end = end
    this.#synced = { frames, end }
  }

  /** Records the failure: no append is accepted from now on. */
  #fail(thrown: unknown): LockstepError {
    this.#failure ??= storeError(this.#dir, thrown)
    return this.#failure
  }
}

/** Reads a record of a write-ahead log, on any thread. @throws STORE_CORRUPTED if it is missing or damaged. */
export function readWalRecord({ file, offset, length }: WalLocation): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(FRAME_HEADER + length)
  try {
    const descriptor = openSync(file, 'r')
    try {
      const count = readFully(descriptor, bytes, bytes.length, offset)
      if (frameAt(bytes.subarray(0, count), 0)?.length === length) {
        return new Uint8Array(bytes.buffer, FRAME_HEADER, length)
      }
    } finally {
      closeSync(descriptor)
    }
  } catch (thrown) {
    throw storeError(file, thrown)
  }
  throw new LockstepError(
    'STORE_CORRUPTED',
    `write-ahead log ${file}: the record at offset ${offset} is damaged`,
    { data: { file, offset } },
  )
}
