import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Hex } from '../../../base/hex.ts'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { BlockFacts, TransactionFacts } from '../../browser/facts.ts'
import type { OpenBundle } from '../../browser/open-bundle.ts'
import type { CallNode, RunSummary, Stepper, StepView } from '../../browser/step/stepper.ts'
import type { KnownToken } from '../decode/abi/contract-registry.ts'
import { failingCall } from '../decode/words/failure-path.ts'
import { type SummaryWords, summaryWords } from '../decode/words/summary-words.ts'
import { RunCode } from '../sources/run-code.ts'
import type { RunSources } from '../sources/run-sources.ts'
import { RunTokens } from '../sources/run-tokens.ts'
import type { UploadedArtifacts } from '../sources/uploaded-artifacts.ts'
import type { HistoryMode, ViewLocation } from '../view/view-location.ts'
import { Debugger } from './debug/debugger.ts'
import { LatestQuery } from './debug/latest-query.ts'
import type { SourceIndex } from './debug/source-index.ts'
import { WhatIf } from './debug/what-if.ts'
import { openEdited } from './open-edited.ts'
import { sourceIndexOf } from './run-source-index.ts'

/** The parts of an opened transaction. */
export interface RunSource {
  readonly bundle: OpenBundle
  /** Index of the transaction in the bundle. */
  readonly index: number
  readonly stepper: Stepper
  /** Oddities of the bundle, a sentence each. */
  readonly notes?: readonly string[]
  /** The state before the transaction, if a node has it. */
  readonly before?: AsyncStateView | undefined
  /** The state after its block, if a node has it. */
  readonly after?: AsyncStateView | undefined
  /** True for a call that was never sent. */
  readonly isSimulated?: boolean
  /** The side that it is in a view with changes; the original if there are none. */
  readonly side?: 'original' | 'edited'
}

/** An open transaction: its run, and the current position of the view. */
export class OpenedRun {
  readonly location: ViewLocation
  readonly bundle: OpenBundle
  readonly index: number
  readonly stepper: Stepper
  readonly debug: Debugger
  /** The same transaction with changes; undefined for the edited one itself. */
  readonly whatIf: WhatIf<OpenedRun> | undefined
  readonly notes: readonly string[]
  readonly isSimulated: boolean
  /** Compiler output for its code; undefined while unknown. */
  readonly sources: ReadonlySignal<RunSources | undefined>
  /** Tokens that it transferred, by address; added while they are asked. */
  readonly tokens: ReadonlySignal<ReadonlyMap<Hex, KnownToken>>
  /** The description; undefined until it has run. */
  readonly words: ReadonlySignal<SummaryWords | undefined>
  readonly summary: ReadonlySignal<RunSummary | undefined>
  /** By index, as `Stepper.calls`; empty until they are known. */
  readonly calls: ReadonlySignal<readonly CallNode[]>
  /** Number of the current step: that of the link, else the failing one, else the first. */
  readonly stepIndex: ReadonlySignal<number>
  /** The current step in full; while it is fetched, the previous one. Undefined if there is none. */
  readonly step: ReadonlySignal<StepView | undefined>
  /** The selected call: that of the link, else that of the step. */
  readonly call: ReadonlySignal<CallNode | undefined>
  /** The last error of the stepper. */
  readonly error: ReadonlySignal<PlainError | undefined>
  readonly #summary = signal<RunSummary | undefined>(undefined)
  readonly #calls = signal<readonly CallNode[]>([])
  readonly #step = signal<StepView | undefined>(undefined)
  readonly #error = signal<PlainError | undefined>(undefined)
  readonly #code: RunCode
  readonly #tokens: RunTokens
  readonly #stop: () => void

  constructor(location: ViewLocation, source: RunSource, knowledge: UploadedArtifacts) {
    const { bundle, index, stepper, before, after, side = 'original' } = source
    this.location = location
    this.bundle = bundle
    this.index = index
    this.stepper = stepper
    this.notes = source.notes ?? []
    this.isSimulated = source.isSimulated ?? false
    this.#code = new RunCode({
      stepper,
      calls: this.#calls,
      knowledge,
      onFailure: (thrown) => this.fail(thrown),
    })
    this.sources = this.#code.sources
    this.#tokens = new RunTokens({
      bundle,
      index,
      after,
      summary: this.#summary,
      calls: this.#calls,
    })
    this.tokens = this.#tokens.tokens
    this.words = computed(() => {
      const summary = this.#summary.value
      return (
        summary && summaryWords(summary, this.#calls.value.map(withoutLogs), knowledge.lens.value)
      )
    })
    this.summary = this.#summary
    this.calls = this.#calls
    this.step = this.#step
    this.error = this.#error
    this.stepIndex = computed(() => {
      const last = Math.max(0, (this.#summary.value?.steps ?? 1) - 1)
      return Math.min(
        location.view.value.step ?? failingCall(this.#calls.value)?.fault?.step ?? 0,
        last,
      )
    })
    this.call = computed(() => {
      const calls = this.#calls.value
      const named = location.view.value.call
      return calls[named ?? this.#step.value?.call ?? 0] ?? calls[0]
    })
    if (side === 'original') {
      this.whatIf = new WhatIf(
        location,
        async (changes, signal) =>
          new OpenedRun(
            location,
            await openEdited(bundle, index, changes, { before, signal }),
            knowledge,
          ),
      )
    }
    // The hidden one of two runs is not updated.
    const isSeen = computed(
      () =>
        location.view.value.side === side ||
        (side === 'original' && this.whatIf?.edited.value === undefined),
    )
    const steps = new LatestQuery(
      (wanted: number) => stepper.step(wanted),
      (step) => {
        // Intermediate results are shown too: a held key visibly moves.
        this.#step.value = step
      },
      (thrown) => this.fail(thrown),
    )
    this.#stop = effect(() => {
      if (!isSeen.value && this.#step.peek() !== undefined) return
      if (this.stepIndex.value < (this.#summary.value?.steps ?? 0)) steps.want(this.stepIndex.value)
    })
    const sourceIndex = computed((): SourceIndex | undefined => {
      const sources = this.sources.value
      if (sources === undefined) return undefined
      return sourceIndexOf({ stepper, calls: this.#calls.value, sources })
    })
    this.debug = new Debugger(this, sourceIndex)
    void this.#open()
  }

  get block(): BlockFacts {
    return this.bundle.block
  }

  /** The transaction as signed. */
  get transaction(): TransactionFacts {
    return this.bundle.transactions[this.index] as TransactionFacts
  }

  /** Makes a step current. `push` adds a history entry for "back". */
  goTo(index: number, visit: HistoryMode = 'replace'): void {
    const last = Math.max(0, (this.#summary.peek()?.steps ?? 1) - 1)
    this.location.set({ step: Math.max(0, Math.min(index, last)), call: undefined }, visit)
  }

  /** Shows an error; undefined clears it. */
  fail(thrown: unknown): void {
    this.#error.value = thrown === undefined ? undefined : toPlainError(thrown)
  }

  close(): void {
    this.#stop()
    this.debug.close()
    this.whatIf?.close()
    this.#code.close()
    this.#tokens.close()
    // If it is the last of its runner, the runner is closed before it answers.
    this.stepper.close().catch(() => {})
    this.bundle.close()
  }

  async #open(): Promise<void> {
    try {
      const [summary, calls] = await Promise.all([this.stepper.summary(), this.stepper.calls()])
      this.#calls.value = calls
      this.#summary.value = summary
    } catch (thrown) {
      this.fail(thrown)
    }
  }
}

/** The description is built at once, without token transfers: `readMoves` reads them from logs later. */
function withoutLogs(call: CallNode): CallNode {
  return call.logs.length === 0 ? call : { ...call, logs: [] }
}
