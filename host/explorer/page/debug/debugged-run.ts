import type { ReadonlySignal } from '@preact/signals'
import type { BlockFacts } from '../../browser/facts.ts'
import type { OpenBundle } from '../../browser/open-bundle.ts'
import type { CallNode, RunSummary, Stepper, StepView } from '../../browser/stepper.ts'
import type { SummaryWords } from '../decode/words/summary-words.ts'
import type { RunSources } from '../sources/run-sources.ts'
import type { ViewLocation, Visit } from '../view/view-location.ts'

/** What the debugger needs of a transaction that is open. */
export interface DebuggedRun {
  readonly location: ViewLocation
  readonly bundle: OpenBundle
  /** Place of the transaction in the bundle. */
  readonly index: number
  readonly stepper: Stepper
  readonly block: BlockFacts
  /** What compilers wrote of its code; undefined while nothing is known. */
  readonly sources: ReadonlySignal<RunSources | undefined>
  /** In sentences; undefined until it has run. */
  readonly words: ReadonlySignal<SummaryWords | undefined>
  readonly summary: ReadonlySignal<RunSummary | undefined>
  /** By index; empty until they are known. */
  readonly calls: ReadonlySignal<readonly CallNode[]>
  /** Number of the step that the view stands at. */
  readonly stepIndex: ReadonlySignal<number>
  /** That step in full; while it is fetched, the one before it. */
  readonly step: ReadonlySignal<StepView | undefined>
  /** Stands at a step. `push` for a jump that "back" shall undo. */
  goTo(index: number, visit?: Visit): void
  /** Shows that something went wrong. */
  fail(thrown: unknown): void
}
