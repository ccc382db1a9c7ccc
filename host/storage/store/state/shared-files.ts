import { rmSync } from 'node:fs'

/** What a thread that opens files by itself has taken over. */
export interface FileReader {
  /** An Int32: the number of the last list of files that the thread has taken. */
  readonly taken: SharedArrayBuffer
  detach(): void
}

/** A file that no list names any more. */
interface RemovedFile {
  readonly path: string
  /** The last list that may name it. */
  readonly last: number
}

/**
 * The files of a backend that other threads open by themselves, after lists that come to them as messages. A file that a
 * list names is there until every thread that was sent the list has taken a later one, however late it is.
 */
export class SharedFiles {
  readonly #readers = new Set<Int32Array>()
  #told = 0
  #removed: RemovedFile[] = []

  /** A thread is going to be told of the files; it has taken none yet. */
  attach(): FileReader {
    const taken = new SharedArrayBuffer(4)
    const reader = new Int32Array(taken)
    this.#readers.add(reader)
    const detach = (): void => {
      this.#readers.delete(reader)
      this.#removeFree()
    }
    return { taken, detach }
  }

  /** The number of a list of the files as they are now, which threads are about to be sent. */
  tell(): number {
    this.#removeFree()
    return ++this.#told
  }

  /** The newest list. */
  get told(): number {
    return this.#told
  }

  /** Whether every thread has taken a later list than that, and with it all that came before. */
  isPast(list: number): boolean {
    return list < this.#taken()
  }

  /** Removes a file that is listed no more, as soon as no thread may still open it. */
  remove(path: string): void {
    this.#removed.push({ path, last: this.#told })
    this.#removeFree()
  }

  /** Removes what is left: no thread opens files any more. */
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

  /** The newest list that every thread has taken. */
  #taken(): number {
    let taken = Number.POSITIVE_INFINITY
    for (const reader of this.#readers) taken = Math.min(taken, Atomics.load(reader, 0))
    return taken
  }
}
