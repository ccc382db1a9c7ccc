import type { CallNode, InternalCall, Stepper, StepRow } from '../../../browser/step/stepper.ts'
import type { InternalCallList } from '../../sources/internal-call-list.ts'
import type { Frames } from './frames.ts'
import type { Direction, Move } from './move.ts'
import type { SourceIndex } from './source-index.ts'

/** A run by source lines. */
export interface LinedRun {
  readonly stepper: Pick<Stepper, 'rows'>
  readonly frames: Frames
  readonly internal: InternalCallList
  /** Returns the line that the user wrote for an instruction; undefined for one that the compiler inserted. */
  lineOf(row: StepRow): string | undefined
  hasSource(frame: CallNode): boolean
  positionIn: SourceIndex['positionIn']
}

/** A function at a step: its frame, and the internal function in it. */
interface Place {
  readonly frame: CallNode
  readonly inner: InternalCall | undefined
}

/** Rows are read in blocks, which grow while a search goes on. */
const SMALLEST_BLOCK = 64
const LARGEST_BLOCK = 8_192

/**
 * Moves by source lines, and over or out of functions of the same code as of calls. Backwards a move leads to the first
 * step of a line, so that it returns to where the move forwards came from.
 */
export class SourceMoves {
  readonly #run: LinedRun
  readonly #signal: AbortSignal
  #block: readonly StepRow[] = []
  #size = SMALLEST_BLOCK

  constructor(run: LinedRun, signal: AbortSignal) {
    this.#run = run
    this.#signal = signal
  }

  /** Returns the target of a move; undefined if no other line comes, or came before. */
  target(from: number, move: Move, direction: Direction): Promise<number | undefined> {
    if (direction === 'back') return this.#back(from, move)
    if (move === 'out') return this.#out(from)
    return this.#ahead(from + 1, move, this.#placeAt(from), from)
  }

  /** Searches from a step for another line than that of `here`, which is at step `since`. */
  async #ahead(
    first: number,
    move: Move,
    here: Place | undefined,
    since: number | undefined,
  ): Promise<number | undefined> {
    const { frames } = this.#run
    let place = here
    let line = since === undefined ? undefined : await this.#lineAt(since)
    for (let at = first; at < frames.steps; ) {
      const now = this.#placeAt(at)
      if (now === undefined) return undefined
      if (place !== undefined && !isSamePlace(now, place)) {
        const end = move === 'over' ? this.#endWithin(place, now, at) : undefined
        if (end !== undefined) {
          at = end
          continue
        }
        if (move === 'over') place = now
        // Back in the same function, its line is still the same.
        line = move === 'over' ? undefined : line
      }
      if (!this.#run.hasSource(now.frame)) {
        at = this.#afterSourceless(now.frame, at, move)
        continue
      }
      const row = await this.#row(at, 'forward')
      const own = this.#run.lineOf(row)
      const isOther = place === undefined || !isSamePlace(now, place) || own !== line
      if (own !== undefined && isOther) return at
      at++
    }
    return undefined
  }

  #out(from: number): Promise<number | undefined> {
    const place = this.#placeAt(from)
    const end = place && this.#rangeOf(place).endStep
    return end === undefined
      ? Promise.resolve(undefined)
      : this.#ahead(end, 'over', undefined, undefined)
  }

  async #back(from: number, move: Move): Promise<number | undefined> {
    const place = this.#placeAt(from)
    if (place === undefined) return undefined
    if (move === 'out') return this.#startBefore(this.#rangeOf(place).firstStep, 'over')
    const start = await this.#startBefore(from + 1, move, place)
    if (start !== undefined && start < from) return start
    return this.#startBefore(from, move, place)
  }

  /**
   * Returns the first step of the last line before a step: in `within` or, from its beginning, in what called it. Moves
   * into functions read those that ended before too.
   */
  async #startBefore(end: number, move: Move, within?: Place): Promise<number | undefined> {
    let place = within ?? this.#placeAt(end - 1)
    let found: { readonly at: number; readonly line: string; readonly place: Place } | undefined
    for (let at = end - 1; at >= 0; ) {
      const now = this.#placeAt(at)
      if (now === undefined) break
      if (place !== undefined && !isSamePlace(now, place)) {
        const start = move === 'over' ? this.#startWithin(place, now, at) : undefined
        if (start !== undefined) {
          at = start - 1
          continue
        }
        if (found !== undefined) break
        place = now
      }
      if (!this.#run.hasSource(now.frame)) {
        if (found !== undefined) break
        at = this.#beforeSourceless(now.frame, at, move)
        continue
      }
      const line = this.#run.lineOf(await this.#row(at, 'back'))
      if (line !== undefined) {
        if (found !== undefined && (line !== found.line || !isSamePlace(now, found.place))) break
        found = { at, line, place: now }
      }
      at--
    }
    return found?.at
  }

  /** Returns the end of what `place` called, if `now` is in it. */
  #endWithin(place: Place, now: Place, at: number): number | undefined {
    return this.#below(place, now, at)?.endStep
  }

  #startWithin(place: Place, now: Place, at: number): number | undefined {
    return this.#below(place, now, at)?.firstStep
  }

  /** Returns the outermost frame or function below `place` around a step; undefined if the step is not below it. */
  #below(place: Place, now: Place, at: number): { firstStep: number; endStep: number } | undefined {
    const { frames, internal } = this.#run
    const { frame, inner } = place
    const { firstStep, endStep } = this.#rangeOf(place)
    if (at < firstStep || at >= endStep) return undefined
    // A function of the same frame that `inner` called, perhaps with frames of its own.
    let outer: InternalCall | undefined
    const child = now.frame === frame ? undefined : frames.childAt(frame, at)
    const from = child === undefined ? at : child.firstStep - 1
    for (const one of internal.stackAt(from, frame.index)) {
      if (one === inner) break
      outer = one
    }
    return outer ?? child
  }

  #afterSourceless(frame: CallNode, at: number, move: Move): number {
    if (move === 'over') return frame.endStep
    return this.#run.frames.firstStepAfter(at, frame.endStep)
  }

  #beforeSourceless(frame: CallNode, at: number, move: Move): number {
    if (move === 'over') return frame.firstStep - 1
    return this.#run.frames.lastStepBefore(at, frame) ?? frame.firstStep - 1
  }

  #placeAt(at: number): Place | undefined {
    const frame = this.#run.frames.at(at)
    return frame && { frame, inner: this.#run.internal.at(at, frame.index) ?? this.#entered(frame) }
  }

  /** Returns the function that the dispatcher of a frame entered: the dispatcher counts as a part of it. */
  #entered(frame: CallNode): InternalCall | undefined {
    const first = this.#run.internal.firstOf(frame.index)
    if (first === undefined) return undefined
    const from = this.#run.positionIn(frame, first.callPc)
    const to = this.#run.positionIn(frame, first.pc)
    return from === undefined || from.functionName === to?.functionName ? first : undefined
  }

  #rangeOf({ frame, inner }: Place): { readonly firstStep: number; readonly endStep: number } {
    return inner === undefined || inner === this.#entered(frame) ? frame : inner
  }

  /** Returns the line of a step; for inserted code that of the last line before it in its function. */
  async #lineAt(at: number): Promise<string | undefined> {
    const place = this.#placeAt(at)
    if (place === undefined || !this.#run.hasSource(place.frame)) return undefined
    const own = this.#run.lineOf(await this.#row(at, 'back'))
    if (own !== undefined) return own
    const before = await this.#startBefore(at, 'over', place)
    const there = before === undefined ? undefined : this.#placeAt(before)
    if (before === undefined || there === undefined || !isSamePlace(there, place)) return undefined
    return this.#run.lineOf(await this.#row(before, 'back'))
  }

  async #row(at: number, direction: Direction): Promise<StepRow> {
    const [first] = this.#block
    const known = first === undefined ? undefined : this.#block[at - first.index]
    if (known !== undefined) return known
    this.#signal.throwIfAborted()
    const last = this.#block.at(-1)
    const isNext = direction === 'forward' ? at - 1 === last?.index : at + 1 === first?.index
    this.#size = isNext ? Math.min(2 * this.#size, LARGEST_BLOCK) : SMALLEST_BLOCK
    const from = direction === 'forward' ? at : Math.max(0, at - this.#size + 1)
    const count = direction === 'forward' ? this.#size : at - from + 1
    this.#block = await this.#run.stepper.rows(from, count, { signal: this.#signal })
    return this.#block[at - from] as StepRow
  }
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.frame === other.frame && one.inner === other.inner
}
