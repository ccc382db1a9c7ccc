const DATABASE = 'lockstep-explorer'
const FILES = 'sources'
const NAME = 'name'

/** Bytes of all kept files: browsers ask the user for more, or evict the whole. */
const MOST_BYTES = 64 << 20

/** A dropped file as it was. */
export interface StoredSource {
  readonly name: string
  readonly text: string
}

/**
 * Keeps the dropped files of this origin in the browser. Every method rejects if the browser allows no storage, as for
 * pages opened as files in some of them.
 */
export class SourceStore {
  readonly #factory: IDBFactory
  #database: Promise<IDBDatabase> | undefined

  constructor(factory: IDBFactory) {
    this.#factory = factory
  }

  /** Returns the kept files by name. */
  async all(): Promise<readonly StoredSource[]> {
    return this.#run('readonly', (files) => files.getAll() as IDBRequest<StoredSource[]>)
  }

  /** Keeps a file in place of one of the same name. Returns false if there is no room for it. */
  async put(source: StoredSource): Promise<boolean> {
    const others = (await this.all()).filter(({ name }) => name !== source.name)
    const bytes = others.reduce((sum, { text }) => sum + 2 * text.length, 2 * source.text.length)
    if (bytes > MOST_BYTES) return false
    await this.#run('readwrite', (files) => files.put(source))
    return true
  }

  async remove(name: string): Promise<void> {
    await this.#run('readwrite', (files) => files.delete(name))
  }

  async #run<Result>(
    mode: IDBTransactionMode,
    ask: (files: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result> {
    this.#database ??= this.#open()
    const database = await this.#database
    const transaction = database.transaction(FILES, mode)
    const answer = ask(transaction.objectStore(FILES))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(answer.result)
      transaction.onerror = () => reject(transaction.error)
      transaction.onabort = () => reject(transaction.error)
    })
  }

  #open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const opening = this.#factory.open(DATABASE, 1)
      opening.onupgradeneeded = () => opening.result.createObjectStore(FILES, { keyPath: NAME })
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error)
    })
  }
}
