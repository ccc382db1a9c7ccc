import { LockstepError } from '../../../../base/error.ts'
import type { Condition, StepView } from '../../../browser/step/stepper.ts'
import { parseWatch } from '../../decode/watch/watch-expression.ts'
import { holdsWatch, type WatchScope } from '../../decode/watch/watch-value.ts'
import type { SourcePosition } from '../../sources/run-sources.ts'
import { stepScope } from '../../sources/step-scope.ts'
import { type Breakpoint, breakConditions, describeBreakpoint, type Stop } from './breakpoint.ts'
import type { DebuggedRun } from './debugged-run.ts'
import type { Direction } from './move.ts'
import type { SourceIndex } from './source-index.ts'

/** A step, and the index of the breakpoint that it is at. */
interface BreakFound {
  readonly index: number
  readonly breakpoint: number
}

/** Searches a run for breakpoints, and evaluates their conditions. */
export class BreakSearch {
  readonly #run: DebuggedRun
  readonly #sources: SourceIndex | undefined
  readonly #breakpoints: readonly Breakpoint[]
  readonly #signal: AbortSignal
  readonly #places = (path: string, line: number) => this.#sources?.placesOf(path, line) ?? []

  constructor(
    run: DebuggedRun,
    sources: SourceIndex | undefined,
    breakpoints: readonly Breakpoint[],
    signal: AbortSignal,
  ) {
    this.#run = run
    this.#sources = sources
    this.#breakpoints = breakpoints
    this.#signal = signal
  }

  /** Returns the next step at which a breakpoint stops, and its description; undefined if there is none. */
  async next(
    from: number,
    direction: Direction,
  ): Promise<{ readonly index: number; readonly answer: string } | undefined> {
    let found = await this.#nearest(from, direction)
    let missed = new Set<number>()
    while (found !== undefined) {
      const breakpoint = this.#breakpoints[found.breakpoint] as Breakpoint
      const verdict = await this.#verdict(breakpoint, found.index)
      if (verdict !== 'missed') {
        const why = verdict === 'holds' ? '' : `, but ${verdict.why}`
        return { index: found.index, answer: `Breakpoint: ${describeBreakpoint(breakpoint)}${why}` }
      }
      this.#signal.throwIfAborted()
      missed.add(found.breakpoint)
      const other = await this.#otherAt(found.index, missed, direction)
      if (other === undefined) missed = new Set()
      found = other ?? (await this.#nearest(found.index, direction))
    }
    return undefined
  }

  async #nearest(from: number, direction: Direction): Promise<BreakFound | undefined> {
    const { stepper } = this.#run
    const signal = this.#signal
    const step = await stepper.step(from)
    signal.throwIfAborted()
    const all = breakConditions(this.#breakpoints, this.#places).filter(
      // Gas stays below the limit for many steps: ignore the condition if it already holds.
      ({ condition }) => condition.gasBelow === undefined || step.gas >= condition.gasBelow,
    )
    if (all.length === 0) return undefined
    const position = await this.#sources?.positionAt(step)
    const isHere = ({ breakpoint }: { breakpoint: number }) =>
      isOnLine(this.#breakpoints[breakpoint]?.stop, position)
    const leave = all.some(isHere) ? this.#leaveLine(step, position) : undefined
    let start = from
    if (leave !== undefined) {
      // A line has many instructions: those of the current line do not stop until it was left.
      const others = all.filter((each) => !isHere(each))
      const conditions = [...others.map(({ condition }) => condition), ...leave]
      const first = await stepper.find(conditions, from, direction, { signal })
      if (first === undefined) return undefined
      const other = others[first.which]
      if (other !== undefined) return { index: first.index, breakpoint: other.breakpoint }
      // The stop may be at a breakpoint as well: search again from the adjacent step.
      start = first.index + (direction === 'forward' ? -1 : 1)
    }
    const found = await stepper.find(
      all.map(({ condition }) => condition),
      start,
      direction,
      { signal },
    )
    const breakpoint = found && all[found.which]?.breakpoint
    return found === undefined || breakpoint === undefined
      ? undefined
      : { index: found.index, breakpoint }
  }

  /** Evaluates the condition of a breakpoint at a step. One that cannot be evaluated stops there, and says why. */
  async #verdict(
    { when }: Breakpoint,
    index: number,
  ): Promise<'holds' | 'missed' | { readonly why: string }> {
    if (when === undefined) return 'holds'
    try {
      const step = await this.#run.stepper.step(index)
      return holdsWatch(parseWatch(when), await this.#scopeAt(step)) ? 'holds' : 'missed'
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'INVALID_ARGUMENT') throw thrown
      return { why: thrown.message }
    }
  }

  /** Returns a breakpoint at a step beside those whose conditions do not hold there. */
  async #otherAt(
    index: number,
    missed: ReadonlySet<number>,
    direction: Direction,
  ): Promise<BreakFound | undefined> {
    const others = breakConditions(this.#breakpoints, this.#places).filter(
      // Gas below a limit holds at many steps: it is no event of this one.
      ({ breakpoint, condition }) => !missed.has(breakpoint) && condition.gasBelow === undefined,
    )
    if (others.length === 0) return undefined
    const found = await this.#run.stepper.find(
      others.map(({ condition }) => condition),
      index + (direction === 'forward' ? -1 : 1),
      direction,
      { signal: this.#signal },
    )
    const breakpoint = found?.index === index ? others[found.which]?.breakpoint : undefined
    return breakpoint === undefined ? undefined : { index, breakpoint }
  }

  async #scopeAt(step: StepView): Promise<WatchScope> {
    return stepScope(this.#run, step, await this.#sources?.scopeAt(step))
  }

  /** Holds at steps of the frame on another line, and at those of outer frames. */
  #leaveLine(step: StepView, position: SourcePosition | undefined): Condition[] | undefined {
    const places = position && this.#sources?.otherLines(step, position)
    if (places === undefined) return undefined
    return [{ places, minDepth: step.depth, maxDepth: step.depth }, { maxDepth: step.depth - 1 }]
  }
}

function isOnLine(stop: Stop | undefined, position: SourcePosition | undefined): boolean {
  return stop?.kind === 'line' && stop.path === position?.path && stop.line === position.line
}
