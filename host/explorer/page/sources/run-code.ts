import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { CallNode, Stepper } from '../../browser/step/stepper.ts'
import type { ContractSet } from '../decode/solc/contract-set.ts'
import { type RanCode, ranCode } from './ran-code.ts'
import { knownCode, RunSources } from './run-sources.ts'
import type { UploadedArtifacts } from './uploaded-artifacts.ts'

export interface RunCodeOptions {
  readonly stepper: Stepper
  /** Empty until they are known. */
  readonly calls: ReadonlySignal<readonly CallNode[]>
  readonly knowledge: UploadedArtifacts
  readonly onFailure: (thrown: unknown) => void
}

/** The sources of a run's code. The code is requested only after compiler files have been added. */
export class RunCode {
  readonly sources: ReadonlySignal<RunSources | undefined>
  readonly #stop: () => void

  constructor({ stepper, calls, knowledge, onFailure }: RunCodeOptions) {
    const codes = signal<readonly RanCode[]>([])
    const sources = signal<RunSources | undefined>(undefined)
    this.sources = sources
    let isAsked = false
    const stopAsking = effect(() => {
      const isWanted = knowledge.contracts.value.artifacts.length > 0 && calls.value.length > 0
      if (!isWanted || isAsked) return
      isAsked = true
      ranCode(stepper, calls.value).then((found) => {
        codes.value = found
      }, onFailure)
    })
    let newest: ContractSet | undefined
    const stopKnowing = effect(() => {
      const contracts = knowledge.contracts.value
      newest = contracts
      if (contracts.artifacts.length === 0 || codes.value.length === 0) {
        sources.value = undefined
        return
      }
      knownCode(contracts, codes.value).then((known) => {
        // Files may have been added or removed meanwhile.
        if (newest === contracts) sources.value = new RunSources(known)
      }, onFailure)
    })
    this.#stop = () => {
      newest = undefined
      stopAsking()
      stopKnowing()
    }
  }

  close(): void {
    this.#stop()
  }
}
