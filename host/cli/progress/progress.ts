import { setImmediate as turn } from 'node:timers/promises'
import { LockstepError } from '../../base/error.ts'
import {
  describeDone,
  renderBar,
  renderPlain,
  type Stage,
  type StageState,
} from './progress-line.ts'
import { Rate } from './rate.ts'
import { onStopSignal } from './stop-signals.ts'

/** Where the progress of a command is shown, and where its signals come from. */
export interface ProgressSite {
  readonly stderr: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>
  /** True where stderr can write a line over. */
  readonly isTerminal: boolean
  /** Milliseconds of a clock that does not go back. */
  readonly clock: () => number
  readonly onStopSignal: typeof onStopSignal
}

export interface ProgressOptions extends Stage {
  /** How the work is taken up again after Ctrl-C, or what to do instead: the remedy of INTERRUPTED. */
  readonly resume: string
  /** Nothing is shown; Ctrl-C stops the work all the same. */
  readonly quiet?: boolean | undefined
}

/** A long piece of work, as the one who does it tells how far it is. */
export interface Progress {
  /**
   * Tells how much of the stage is done, and how much there is of it where that has become known. Work
   * that never waits for anything awaits what this returns now and then: only then can Ctrl-C arrive.
   * @throws INTERRUPTED after Ctrl-C
   */
  update(done: number, total?: number): Promise<void> | undefined
  /** Begins another part of the work. @throws INTERRUPTED after Ctrl-C */
  stage(next: Stage): void
  /** Writes a line about the work to stderr, without disturbing what is shown. */
  note(line: string): void
  /** Writes a line of the result to stdout, without disturbing what is shown. */
  print(line: string): void
  /** Aborted by Ctrl-C with INTERRUPTED as its reason, for what is waited for. */
  readonly signal: AbortSignal
}

/** A line of a terminal is written over at most this often. */
const REDRAW_MS = 100

/** Elsewhere a line is written this often: a log stays readable. */
const PLAIN_MS = 5_000

/** Work that never waits lets signals arrive this often. */
const TURN_MS = 50

const CLEAR = '\r\x1b[K'

class ShownProgress implements Progress {
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
    // On a terminal whoever waits sees at once that something is done.
    if (site.isTerminal) this.#show(site.clock())
  }

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

  update(done: number, total?: number): Promise<void> | undefined {
    this.signal.throwIfAborted()
    const now = this.#site.clock()
    this.#done = done
    if (total !== undefined) this.#stage = { ...this.#stage, total }
    this.#rate.add(done, now)
    this.#show(now)
    if (now - this.#turnedAt < TURN_MS) return undefined
    this.#turnedAt = now
    return turn()
  }

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

  note(line: string): void {
    this.#clear()
    this.#site.stderr.write(`${line}\n`)
  }

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
 * Does a long piece of work and shows on stderr how far it is: a bar on a terminal, elsewhere a line every
 * five seconds. Ctrl-C makes the next `update` throw, so that the work ends as by any failure and leaves a
 * home that can be used; another one ends the process at once.
 * @throws INTERRUPTED (exit 130) after Ctrl-C; what the work throws
 */
export async function withProgress<Result>(
  options: ProgressOptions,
  work: (progress: Progress) => Promise<Result>,
  site: ProgressSite = PROCESS,
): Promise<Result> {
  const progress = new ShownProgress(options, site)
  try {
    return await work(progress)
  } catch (thrown) {
    // What was waited for may have failed in words of its own because the signal was aborted.
    progress.signal.throwIfAborted()
    throw thrown
  } finally {
    progress.close()
  }
}
