import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { concatBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'

/** Bytes before each record: its length, little-endian. */
const FRAME = 4
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

/** Keeps the pool's transactions over a restart. */
export interface Journal {
  /** Resolves once the transaction would survive a crash of the process. */
  append(raw: Uint8Array): Promise<void>
  /** The transactions that were appended, oldest first. */
  load(): readonly Uint8Array[]
  /** Replaces the contents in one step: a crash leaves the old ones or the new. */
  rewrite(live: Iterable<Uint8Array>): void
  /** Bytes that the journal takes. */
  readonly bytes: number
  /** Writes what waits and closes. */
  close(): void
}

function frame(raw: Uint8Array): Uint8Array[] {
  const header = new Uint8Array(FRAME)
  new DataView(header.buffer).setUint32(0, raw.length, true)
  return [header, raw]
}

function readFrames(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const records: Uint8Array[] = []
  for (let offset = 0; offset + FRAME <= bytes.length; ) {
    const end = offset + FRAME + view.getUint32(offset, true)
    // A record cut short by a crash was never acknowledged.
    if (end > bytes.length) break
    records.push(bytes.slice(offset + FRAME, end))
    offset = end
  }
  return records
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written)
  }
}

/**
 * A journal in one file. It survives a crash of the process, not of the machine: what counts there is
 * the block, and a synchronous disk write for each transaction would cost more than the transaction.
 * All that is appended in one turn of the event loop goes out in one write.
 */
export class FileJournal implements Journal {
  readonly #path: string
  #file: number
  #bytes: number
  #waiting: Uint8Array[] = []
  #write: Write | undefined

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a')
    this.#bytes = fstatSync(this.#file).size
  }

  append(raw: Uint8Array): Promise<void> {
    this.#waiting.push(...frame(raw))
    if (this.#write === undefined) {
      this.#write = openWrite()
      setImmediate(() => this.#flush())
    }
    return this.#write.done
  }

  load(): readonly Uint8Array[] {
    return readFrames(readFileSync(this.#path))
  }

  get bytes(): number {
    return this.#bytes
  }

  rewrite(live: Iterable<Uint8Array>): void {
    const next = `${this.#path}.new`
    const contents = concatBytes([...live].flatMap(frame))
    const file = openSync(next, 'w')
    try {
      writeAll(file, contents)
    } finally {
      closeSync(file)
    }
    renameSync(next, this.#path)
    closeSync(this.#file)
    this.#file = openSync(this.#path, 'a')
    this.#bytes = contents.length
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    const write = this.#write
    if (write === undefined) return
    const bytes = concatBytes(this.#waiting)
    this.#waiting = []
    this.#write = undefined
    try {
      writeAll(this.#file, bytes)
      this.#bytes += bytes.length
      write.resolve()
    } catch (cause) {
      // Half a record would make all that follows it unreadable.
      ftruncateSync(this.#file, this.#bytes)
      write.reject(new LockstepError('STORE_FULL', `cannot write to ${this.#path}`, { cause }))
    }
  }
}
