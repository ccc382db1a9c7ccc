import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { LockstepError } from '../../../../base/error.ts'
import type { Revision } from '../../../../evm/chain-types/revision.ts'
import type { StepView, Written } from '../../../browser/step/stepper.ts'
import type { WatchScope } from '../../decode/watch/watch-value.ts'
import { failurePaths } from '../../decode/words/failure-path.ts'
import type { InternalCallList } from '../../sources/internal-call-list.ts'
import type { SourcePosition } from '../../sources/run-sources.ts'
import { stepScope } from '../../sources/step-scope.ts'
import { BreakSearch } from './break-search.ts'
import { type Breakpoint, describeStop, isSameStop, type Stop } from './breakpoint.ts'
import { formatBreakpoints, parseBreakpoints } from './breakpoint-text.ts'
import type { DebuggedRun } from './debugged-run.ts'
import { Frames } from './frames.ts'
import { LatestQuery } from './latest-query.ts'
import { type Direction, type Move, moveTarget } from './move.ts'
import type { SourceIndex } from './source-index.ts'
import { SourceMoves } from './source-moves.ts'
import { Task } from './task.ts'
import { describeWritten } from './written-text.ts'

/** Moves through a run: the actions of the debugger's buttons and keys. */
export class Debugger {
  readonly run: DebuggedRun
  readonly sources: ReadonlySignal<SourceIndex | undefined>
  readonly frames: ReadonlySignal<Frames>
  readonly breakpoints: ReadonlySignal<readonly Breakpoint[]>
  /** Source position of the shown step. */
  readonly position: ReadonlySignal<SourcePosition | undefined>
  /** The internal functions that ran; undefined until they are known. */
  readonly internal: ReadonlySignal<InternalCallList | undefined>
  /** The result of the last search, in words. */
  readonly answer: Signal<string>
  readonly task = new Task()
  readonly #internal = signal<InternalCallList | undefined>(undefined)
  readonly #stop: () => void

  constructor(run: DebuggedRun, sources: ReadonlySignal<SourceIndex | undefined>) {
    this.run = run
    this.sources = sources
    this.frames = computed(() => new Frames(run.calls.value, run.summary.value?.steps ?? 0))
    this.breakpoints = computed(() => readBreakpoints(run.location.view.value.breakpoints))
    const position = signal<SourcePosition | undefined>(undefined)
    this.position = position
    const positions = new LatestQuery(
      async (step: StepView | undefined) => step && this.sources.peek()?.positionAt(step),
      (found) => {
        position.value = found
      },
      (thrown) => run.fail(thrown),
    )
    this.internal = this.#internal
    this.#stop = effect(() => {
      const isKnown = sources.value !== undefined
      positions.want(isKnown ? run.step.value : undefined)
    })
    this.answer = signal('')
  }

  /** The revision of the block. */
  get revision(): Revision {
    return this.run.block.revision
  }

  get steps(): number {
    return this.frames.value.steps
  }

  /** Reads the internal functions for `internal`: that takes a pass over the run. */
  async readInternal(): Promise<void> {
    const sources = this.sources.peek()
    try {
      this.#internal.value = await sources?.internalCalls()
    } catch (thrown) {
      this.run.fail(thrown)
    }
  }

  /** Returns the names that an expression may use at a step. */
  async scopeAt(step: StepView): Promise<WatchScope> {
    return stepScope(this.run, step, await this.sources.peek()?.scopeAt(step))
  }

  goTo(index: number): void {
    this.task.cancel()
    this.answer.value = ''
    this.run.goTo(index)
  }

  move(move: Move, direction: Direction): void {
    const target = moveTarget(this.frames.peek(), this.run.stepIndex.peek(), move, direction)
    if (target === undefined) this.#end(direction)
    else this.goTo(target)
  }

  /** Goes to the failing step; in a successful transaction, to the first caught failure. */
  goToFailure(): void {
    const paths = failurePaths(this.run.calls.peek())
    const worst = paths.find(({ caughtBy }) => caughtBy === undefined) ?? paths[0]
    const failure = worst?.failed[0]
    if (failure === undefined) this.answer.value = 'Nothing failed in this transaction.'
    // A precompile fails without its own step: go to the call.
    else this.run.goTo(failure.fault?.step ?? failure.firstStep - 1, 'push')
  }

  /** Goes to the next breakpoint, or to the end. */
  async continue(direction: Direction): Promise<void> {
    const from = this.run.stepIndex.peek()
    const doing = `Running ${direction === 'forward' ? 'to the next' : 'back to the last'} breakpoint`
    await this.#find(doing, async (abort) => {
      const search = new BreakSearch(this.run, this.sources.peek(), this.breakpoints.peek(), abort)
      const found = await search.next(from, direction)
      if (found !== undefined) return found
      return direction === 'forward'
        ? { index: this.steps - 1, answer: 'No breakpoint after this step: the last step.' }
        : { index: 0, answer: 'No breakpoint before that: the first step.' }
    })
  }

  /** Goes to another line, into or over functions, or out of the current one; by steps if no source is known. */
  async stepLine(move: Move, direction: Direction): Promise<void> {
    const sources = this.sources.peek()
    if (sources === undefined) {
      this.move(move, direction)
      return
    }
    const from = this.run.stepIndex.peek()
    await this.#find('Stepping to another line', async (signal) => {
      const { stepper } = this.run
      const frames = this.frames.peek()
      const internal = await sources.internalCalls()
      const moves = new SourceMoves({ ...sources, stepper, frames, internal }, signal)
      const index = await moves.target(from, move, direction)
      if (index !== undefined) return { index }
      return direction === 'forward'
        ? { index: this.steps - 1, answer: 'No other line after this: the last step.' }
        : { index: 0, answer: 'No other line before this: the first step.' }
    })
  }

  /** Goes to the step that wrote the current value of a slot, word or byte. */
  async goToWriter(what: Written): Promise<void> {
    const at = this.run.stepIndex.peek()
    const name = describeWritten(what)
    await this.#find(`Looking for the step that wrote ${name}`, async (signal) => {
      const index = await this.run.stepper.lastWriter(what, at, { signal })
      if (index !== undefined) return { index, answer: `Step ${index} wrote ${name}.` }
      const since =
        what.kind === 'slot' ? 'before the transaction' : 'before the first step of this frame'
      this.answer.value = `No step wrote ${name}: its value is from ${since}.`
      return undefined
    })
  }

  toggle(stop: Stop): void {
    const all = this.breakpoints.peek()
    const others = all.filter((each) => !isSameStop(each.stop, stop))
    const isThere = others.length < all.length
    this.setBreakpoints(isThere ? others : [...all, { stop, isEnabled: true }])
    this.answer.value = `${isThere ? 'No breakpoint' : 'Breakpoint'} at ${describeStop(stop)}.`
  }

  /** Toggles a breakpoint at the source line if known, else at the instruction. */
  toggleHere(): void {
    const step = this.run.step.peek()
    if (step === undefined) return
    const position = this.position.peek()
    this.toggle(
      position === undefined
        ? { kind: 'pc', pc: step.pc, code: step.codeAddress }
        : { kind: 'line', path: position.path, line: position.line },
    )
  }

  setBreakpoints(breakpoints: readonly Breakpoint[]): void {
    this.run.location.set({ breakpoints: formatBreakpoints(breakpoints) })
  }

  cancel(): void {
    if (this.task.work.peek() === undefined) return
    this.task.cancel()
    this.answer.value = 'Cancelled.'
  }

  close(): void {
    this.#stop()
    this.task.cancel()
  }

  /** Goes to the result of a search, and announces it. */
  async #find(
    doing: string,
    search: (signal: AbortSignal) => Promise<{ index: number; answer?: string } | undefined>,
  ): Promise<void> {
    this.answer.value = ''
    try {
      const found = (await this.task.run(doing, search))?.answer
      if (found === undefined) return
      this.run.goTo(found.index, 'push')
      this.answer.value = found.answer ?? ''
    } catch (thrown) {
      this.run.fail(thrown)
    }
  }

  #end(direction: Direction): void {
    this.answer.value =
      direction === 'forward' ? 'The transaction ends here.' : 'The transaction begins here.'
  }
}

/** A truncated or changed link has no breakpoints. */
function readBreakpoints(text: string): readonly Breakpoint[] {
  try {
    return parseBreakpoints(text)
  } catch (thrown) {
    if (thrown instanceof LockstepError) return []
    throw thrown
  }
}
