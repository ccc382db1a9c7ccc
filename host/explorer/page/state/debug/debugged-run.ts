import type { ReadonlySignal } from '@preact/signals'
import type { BlockFacts } from '../../../browser/facts.ts'
import type { OpenBundle } from '../../../browser/open-bundle.ts'
import type { CallNode, RunSummary, Stepper, StepView } from '../../../browser/step/stepper.ts'
import type { SummaryWords } from '../../decode/words/summary-words.ts'
import type { RunSources } from '../../sources/run-sources.ts'
import type { HistoryMode, ViewLocation } from '../../view/view-location.ts'

/** The data of an open transaction that the debugger needs. */
export interface DebuggedRun {
  readonly location: ViewLocation
  readonly bundle: OpenBundle
  /** Index of the transaction in the bundle. */
  readonly index: number
  readonly stepper: Stepper
  readonly block: BlockFacts
  /** Compiler output for its code; undefined while unknown. */
  readonly sources: ReadonlySignal<RunSources | undefined>
  /** The outcome in sentences; undefined until it has run. */
  readonly words: ReadonlySignal<SummaryWords | undefined>
  readonly summary: ReadonlySignal<RunSummary | undefined>
  /** By index; empty until they are known. */
  readonly calls: ReadonlySignal<readonly CallNode[]>
  /** Number of the current step. */
  readonly stepIndex: ReadonlySignal<number>
  /** The current step in full; while it is fetched, the previous one. */
  readonly step: ReadonlySignal<StepView | undefined>
  /** Makes a step current. `push` adds a history entry for "back". */
  goTo(index: number, visit?: HistoryMode): void
  /** Shows an error. */
  fail(thrown: unknown): void
}
