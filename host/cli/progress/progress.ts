import { LockstepError } from '../../base/error.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import {
  describeDone,
  renderBar,
  renderPlain,
  type Stage,
  type StageState,
} from './progress-line.ts'
import { Rate } from './rate.ts'
import { onStopSignal } from './stop-signals.ts'

/** The output for progress, and the source of signals. */
export interface ProgressSite {
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>
  /** True if stderr can overwrite a line. */
  readonly isTerminal: boolean
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  readonly onStopSignal: typeof onStopSignal
}

export interface ProgressOptions extends Stage {
  /** How to resume the work after Ctrl-C, or what to do instead: the remedy of INTERRUPTED. */
  readonly resume: string
  /** Shows nothing; Ctrl-C still stops the work. */
  readonly quiet?: boolean | undefined
}

/** Minimum time between two redraws on a terminal. */
const REDRAW_MS = 100

/** Time between two lines if stderr is not a terminal. */
const PLAIN_MS = 5_000

/** Work that never waits yields for signals this often. */
const TURN_MS = 50

const CLEAR = '\r\x1b[K'

/** Reports the progress of a long task. */
export class Progress {
  readonly #site: ProgressSite
  readonly #options: ProgressOptions
  readonly #interruption = new AbortController()
  #stage: Stage
  #done = 0
  #rate = new Rate()
  #shownAt: number
  #turnedAt: number
  #isDrawn = false
  readonly #release: () => void

  constructor(options: ProgressOptions, site: ProgressSite) {
    this.#options = options
    this.#site = site
    this.#stage = options
    this.#shownAt = site.isTerminal ? Number.NEGATIVE_INFINITY : site.clock()
    this.#turnedAt = site.clock()
    this.#release = site.onStopSignal(() => this.#interrupt())
    // A terminal shows the start at once.
    if (site.isTerminal) this.#show(site.clock())
  }

  /** Aborted by Ctrl-C with INTERRUPTED as its reason; pass it to pending operations. */
  get signal(): AbortSignal {
    return this.#interruption.signal
  }

  get #state(): StageState {
    return { ...this.#stage, done: this.#done, perSecond: this.#rate.perSecond }
  }

  #interrupt(): void {
    const { label } = this.#stage
    const message = `interrupted while ${label.toLowerCase()}, at ${describeDone(this.#state)}`
    const { resume } = this.#options
    this.#interruption.abort(new LockstepError('INTERRUPTED', message, { hint: resume }))
  }

  /**
   * Reports how much of the stage is done, and its total if that has become known. Work that never waits must await
   * the result now and then: only then can Ctrl-C arrive.
   * @throws INTERRUPTED after Ctrl-C
   */
  update(done: number, total?: number): Promise<void> | undefined {
    this.signal.throwIfAborted()
    const now = this.#site.clock()
    this.#done = done
    if (total !== undefined) this.#stage = { ...this.#stage, total }
    this.#rate.add(done, now)
    this.#show(now)
    if (now - this.#turnedAt < TURN_MS) return undefined
    this.#turnedAt = now
    return yieldToEventLoop()
  }

  /** Starts another stage. @throws INTERRUPTED after Ctrl-C */
  stage(next: Stage): void {
    this.signal.throwIfAborted()
    this.#stage = next
    this.#done = 0
    this.#rate = new Rate()
  }

  #show(now: number): void {
    const { isTerminal, stderr } = this.#site
    if (this.#options.quiet === true) return
    if (now - this.#shownAt < (isTerminal ? REDRAW_MS : PLAIN_MS)) return
    this.#shownAt = now
    if (!isTerminal) {
      stderr.write(`${renderPlain(this.#state)}\n`)
      return
    }
    stderr.write(`${CLEAR}${renderBar(this.#state, stderr.columns || 80)}`)
    this.#isDrawn = true
  }

  #clear(): void {
    if (this.#isDrawn) this.#site.stderr.write(CLEAR)
    this.#isDrawn = false
  }

  /** Writes a line to stderr above the progress. */
  note(line: string): void {
    this.#clear()
    this.#site.stderr.write(`${line}\n`)
  }

  /** Writes a result line to stdout above the progress. */
  print(line: string): void {
    this.#clear()
    this.#site.stdout.write(`${line}\n`)
  }

  close(): void {
    this.#clear()
    this.#release()
  }
}

const PROCESS: ProgressSite = {
  stderr: process.stderr,
  stdout: process.stdout,
  isTerminal: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
  clock: () => performance.now(),
  onStopSignal,
}

/**
 * Runs a long task and shows its progress on stderr: a bar on a terminal, otherwise a line every five seconds. Ctrl-C
 * makes the next `update` throw, so the work fails in order and leaves a usable home; a second one ends the process
 * at once.
 * @throws INTERRUPTED (exit 130) after Ctrl-C; what the work throws
 */
export async function withProgress<Result>(
  options: ProgressOptions,
  work: (progress: Progress) => Promise<Result>,
  site: ProgressSite = PROCESS,
): Promise<Result> {
  const progress = new Progress(options, site)
  try {
    return await work(progress)
  } catch (thrown) {
    // A pending operation may have thrown its own error because the signal was aborted.
    progress.signal.throwIfAborted()
    throw thrown
  } finally {
    progress.close()
  }
}
