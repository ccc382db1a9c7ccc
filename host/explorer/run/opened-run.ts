import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { type PlainError, toPlainError } from '../../base/plain-error.ts'
import type { CallNode, RunSummary, Stepper, StepView } from '../../browser/stepper.ts'
import type { ViewLocation, Visit } from '../view/view-location.ts'

/** A transaction that is open: what is known of its run, and where in it the view stands. */
export class OpenedRun {
  readonly location: ViewLocation
  readonly stepper: Stepper
  readonly summary: ReadonlySignal<RunSummary | undefined>
  /** By index, as `Stepper.calls`; empty until they are known. */
  readonly calls: ReadonlySignal<readonly CallNode[]>
  /** Number of the step that the view stands at: that of the link, else where the run failed, else the first. */
  readonly stepIndex: ReadonlySignal<number>
  /** That step in full; while it is fetched, the one before it. Undefined where there is none. */
  readonly step: ReadonlySignal<StepView | undefined>
  /** The call that is selected: that of the link, else that of the step. */
  readonly call: ReadonlySignal<CallNode | undefined>
  /** What went wrong last with a question to the stepper. */
  readonly error: ReadonlySignal<PlainError | undefined>
  readonly #summary = signal<RunSummary | undefined>(undefined)
  readonly #calls = signal<readonly CallNode[]>([])
  readonly #step = signal<StepView | undefined>(undefined)
  readonly #error = signal<PlainError | undefined>(undefined)
  readonly #stop: () => void

  constructor(location: ViewLocation, stepper: Stepper) {
    this.location = location
    this.stepper = stepper
    this.summary = this.#summary
    this.calls = this.#calls
    this.step = this.#step
    this.error = this.#error
    this.stepIndex = computed(() => {
      const last = Math.max(0, (this.#summary.value?.steps ?? 1) - 1)
      return Math.min(location.view.value.step ?? firstFailure(this.#calls.value) ?? 0, last)
    })
    this.call = computed(() => {
      const calls = this.#calls.value
      const named = location.view.value.call
      return calls[named ?? this.#step.value?.call ?? 0] ?? calls[0]
    })
    this.#stop = effect(() => {
      void this.#fetch(this.stepIndex.value, this.#summary.value?.steps ?? 0)
    })
    void this.#open()
  }

  /** Stands at a step. `push` for a jump that "back" shall undo. */
  goTo(index: number, visit: Visit = 'replace'): void {
    const last = Math.max(0, (this.#summary.peek()?.steps ?? 1) - 1)
    this.location.set({ step: Math.max(0, Math.min(index, last)), call: undefined }, visit)
  }

  /** Shows that something went wrong; undefined when it is past. */
  fail(thrown: unknown): void {
    this.#error.value = thrown === undefined ? undefined : toPlainError(thrown)
  }

  close(): void {
    this.#stop()
    void this.stepper.close()
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

  async #fetch(index: number, steps: number): Promise<void> {
    if (index >= steps) return
    try {
      const step = await this.stepper.step(index)
      // Another may have been asked for since
      if (this.stepIndex.peek() === index) this.#step.value = step
    } catch (thrown) {
      this.fail(thrown)
    }
  }
}

/** The step of the innermost failure that brought the transaction down. */
function firstFailure(calls: readonly CallNode[]): number | undefined {
  return failingCall(calls)?.fault?.step
}

/**
 * The innermost call that the transaction's failure comes from: from the root down, the last child that failed
 * too. Undefined where the transaction succeeded.
 */
export function failingCall(calls: readonly CallNode[]): CallNode | undefined {
  let call = calls[0]
  if (call?.fault === undefined) return undefined
  for (;;) {
    const last: CallNode | undefined = calls[call.children.at(-1) ?? -1]
    if (last?.fault === undefined) return call
    call = last
  }
}
