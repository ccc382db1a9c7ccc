import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Hex } from '../../../base/hex.ts'
import {
  type ContractRegistry,
  type KnownToken,
  makeContractRegistry,
} from '../decode/abi/contract-registry.ts'
import { SelectorTable } from '../decode/signatures/selector-table.ts'
import type { DroppedFile } from '../decode/solc/artifact.ts'
import { ContractSet } from '../decode/solc/contract-set.ts'
import type { RunSources } from './run-sources.ts'

/** What the registry knows of an open run. */
export interface FollowedRun {
  readonly sources: ReadonlySignal<RunSources | undefined>
  readonly tokens: ReadonlySignal<ReadonlyMap<Hex, KnownToken>>
}

/** Information about contracts beside that of a bundle: the shipped ABI registry, and uploaded artifacts. */
export class UploadedArtifacts {
  readonly files: ReadonlySignal<readonly DroppedFile[]>
  readonly contracts: ReadonlySignal<ContractSet>
  readonly lens: ReadonlySignal<ContractRegistry>
  readonly #files = signal<readonly DroppedFile[]>([])
  readonly #run = signal<FollowedRun | undefined>(undefined)

  constructor() {
    this.files = this.#files
    this.contracts = computed(() => new ContractSet(this.#files.value))
    const table = computed(() => new SelectorTable())
    this.lens = computed(() => {
      const run = this.#run.value
      const sources = run?.sources.value
      return makeContractRegistry({
        books: [...this.contracts.value.books, table.value],
        ...(sources !== undefined && {
          abis: sources.abis,
          constructors: sources.constructors,
          labels: sources.labels,
        }),
        ...(run !== undefined && { tokens: run.tokens.value }),
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

  /** Names addresses by the contracts and tokens of the open run; undefined clears the names. */
  follow(run: FollowedRun | undefined): void {
    this.#run.value = run
  }
}
