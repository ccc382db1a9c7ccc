import { SegmentWriter } from '../../table/segment-writer.ts'
import type { TableLoader } from '../state/state-backend.ts'
import type { TableRow } from '../state/table-rows.ts'

/** Rows per file, for which its filter is sized. */
const FILE_ROWS = 16_000_000

/** The database that receives the files of an import. */
export interface LoadTarget {
  newFile(): string
  /** Adds complete files to the table. */
  install(paths: readonly string[]): void
}

/** Writes rows of one height, keys ascending, into as many files as needed. */
export class SegmentLoader implements TableLoader {
  readonly #height: number
  readonly #target: LoadTarget
  readonly #paths: string[] = []
  #writer: SegmentWriter | undefined
  #rows = 0

  constructor(height: number, target: LoadTarget) {
    this.#height = height
    this.#target = target
  }

  add({ key, value }: TableRow): void {
    if (this.#writer === undefined) {
      const path = this.#target.newFile()
      this.#paths.push(path)
      this.#writer = new SegmentWriter(path, FILE_ROWS)
    }
    this.#writer.add(key, 0, key.length, this.#height, value, 0, value.length)
    if (++this.#rows === FILE_ROWS) this.#finishFile()
  }

  async finish(): Promise<void> {
    this.#finishFile()
    this.#target.install(this.#paths)
  }

  #finishFile(): void {
    this.#writer?.finish()
    this.#writer = undefined
    this.#rows = 0
  }
}
