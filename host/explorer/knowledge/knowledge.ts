import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { AbiBook } from '../decode/abi/abi-book.ts'
import { type Lens, makeLens } from '../decode/lens.ts'
import { SelectorTable } from '../decode/signatures/selector-table.ts'

/** What a person gave to decode with. */
export interface GivenFile {
  readonly name: string
  readonly book: AbiBook
}

/** What is known of contracts beside what a bundle holds: the table that ships, and files that were given. */
export class Knowledge {
  readonly files: ReadonlySignal<readonly GivenFile[]>
  readonly lens: ReadonlySignal<Lens>
  readonly #files = signal<readonly GivenFile[]>([])

  constructor() {
    this.files = this.#files
    const table = computed(() => new SelectorTable())
    this.lens = computed(() =>
      makeLens({ books: [...this.#files.value.map(({ book }) => book), table.value] }),
    )
  }

  add(file: GivenFile): void {
    this.#files.value = [...this.#files.value.filter(({ name }) => name !== file.name), file]
  }

  remove(file: GivenFile): void {
    this.#files.value = this.#files.value.filter((other) => other !== file)
  }
}
