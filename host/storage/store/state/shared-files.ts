import { rmSync } from 'node:fs'

/** A thread that opens files on its own. */
export interface FileListReader {
  /** An Int32: the number of the last list of files that the thread has taken. */
  readonly taken: SharedArrayBuffer
  detach(): void
}

/** A file that is in no current list. */
interface RemovedFile {
  readonly path: string
  /** The last list that may include it. */
  readonly last: number
}

/**
 * The files of a backend that other threads open on their own, from lists sent as messages. A file in a list exists
 * until every thread that was sent the list has taken a later one, however late it is.
 */
export class SharedFiles {
  readonly #readers = new Set<Int32Array>()
  #told = 0
  #removed: RemovedFile[] = []

  /** Registers a thread that will be sent lists of the files; it has taken none yet. */
  attach(): FileListReader {
    const taken = new SharedArrayBuffer(4)
    const reader = new Int32Array(taken)
    this.#readers.add(reader)
    const detach = (): void => {
      this.#readers.delete(reader)
      this.#removeFree()
    }
    return { taken, detach }
  }

  /** Returns the number of a new list with the current files, which is about to be sent. */
  nextList(): number {
    this.#removeFree()
    return ++this.#told
  }

  /** The latest list. */
  get latestList(): number {
    return this.#told
  }

  /** Returns true if every thread has taken a list later than this one, and with it all changes before. */
  isPast(list: number): boolean {
    return list < this.#taken()
  }

  /** Removes a file that is no longer listed, after every thread has taken a list without it. */
  remove(path: string): void {
    this.#removed.push({ path, last: this.#told })
    this.#removeFree()
  }

  /** Removes all remaining files; no thread may open files any more. */
  close(): void {
    this.#readers.clear()
    this.#removeFree()
  }

  #removeFree(): void {
    if (this.#removed.length === 0) return
    const taken = this.#taken()
    for (const { path, last } of this.#removed) if (last < taken) rmSync(path, { force: true })
    this.#removed = this.#removed.filter(({ last }) => last >= taken)
  }

  /** Returns the latest list that every thread has taken. */
  #taken(): number {
    let taken = Number.POSITIVE_INFINITY
    for (const reader of this.#readers) taken = Math.min(taken, Atomics.load(reader, 0))
    return taken
  }
}
