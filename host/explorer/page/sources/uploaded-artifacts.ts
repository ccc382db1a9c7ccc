import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { type ContractRegistry, makeContractRegistry } from '../decode/abi/contract-registry.ts'
import { SelectorTable } from '../decode/signatures/selector-table.ts'
import type { DroppedFile } from '../decode/solc/artifact.ts'
import { ContractSet } from '../decode/solc/contract-set.ts'
import type { RunSources } from './run-sources.ts'

/** Information about contracts beside that of a bundle: the shipped ABI registry, and uploaded artifacts. */
export class UploadedArtifacts {
  readonly files: ReadonlySignal<readonly DroppedFile[]>
  readonly contracts: ReadonlySignal<ContractSet>
  readonly lens: ReadonlySignal<ContractRegistry>
  readonly #files = signal<readonly DroppedFile[]>([])
  readonly #sources = signal<ReadonlySignal<RunSources | undefined> | undefined>(undefined)

  constructor() {
    this.files = this.#files
    this.contracts = computed(() => new ContractSet(this.#files.value))
    const table = computed(() => new SelectorTable())
    this.lens = computed(() => {
      const sources = this.#sources.value?.value
      return makeContractRegistry({
        books: [...this.contracts.value.books, table.value],
        ...(sources !== undefined && { abis: sources.abis, labels: sources.labels }),
      })
    })
  }

  /** New files replace those of the same names. */
  add(files: readonly DroppedFile[]): void {
    const names = new Set(files.map(({ name }) => name))
    this.#files.value = [...this.#files.value.filter(({ name }) => !names.has(name)), ...files]
  }

  remove(file: DroppedFile): void {
    this.#files.value = this.#files.value.filter((other) => other !== file)
  }

  /** Names addresses by the contracts of the open run; undefined clears the names. */
  follow(sources: ReadonlySignal<RunSources | undefined> | undefined): void {
    this.#sources.value = sources
  }
}
