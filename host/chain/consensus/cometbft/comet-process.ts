import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { eachLine } from '../../../base/process/each-line.ts'
import type { ProcessLog } from '../../../base/process/process-log.ts'
import { RestartPause } from '../../../base/process/restart-pause.ts'
import { delay, startTimer, stopTimer } from '../../../base/timer.ts'
import { endOf, failureOf, isFatal, isPassing } from './comet-failure.ts'
import { CometLog } from './comet-log.ts'
import { readCometLine } from './comet-log-line.ts'
import { endEarlier, forgetProcess, noteProcess } from './earlier-process.ts'

export interface CometProcessOptions {
  readonly program: string
  /** CometBFT's `--home`. */
  readonly root: string
  /** Called before each start. */
  readonly prepare: () => void
  /** True once its RPC answers. */
  readonly isUp: () => Promise<boolean>
  /** Its RPC answers, after each start: its pool of transactions is empty. */
  readonly onUp: () => void
  /** Height of the block that the application has not executed yet. */
  readonly nextHeight: () => number
  readonly log: ProcessLog
  /** Consensus has failed: CometBFT goes on without it, and the node cannot. */
  readonly onFailure: (error: LockstepError) => void
  /** Time that it has to end after SIGTERM. */
  readonly graceMs?: number
}

const GRACE_MS = 15_000

/** Between two questions whether it answers. */
const ASK_MS = 25

/** For so long a first start is repeated that fails by what an earlier process still has. */
const PASSING_MS = 20_000

/** Lines that are kept of what it writes beside its log, the first and the last: a panic begins with its reason. */
const KEPT_LINES = 10

/** The variables that would change its configuration, and those that may hold secrets of the node. */
const WITHHELD = /^(?:CMT|TM|LOCKSTEP_)/

/** The variables that CometBFT gets. */
export function cometEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)))
}

/** The CometBFT of a node: started, started again when it ends, and stopped. */
export class CometProcess {
  readonly #options: CometProcessOptions
  readonly #log: CometLog
  readonly #pause = new RestartPause()
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()
  #running: Promise<void> = Promise.resolve()
  #restarts = 0

  private constructor(options: CometProcessOptions) {
    this.#options = options
    this.#log = new CometLog(options.log, () => performance.now())
  }

  /**
   * Resolves when its RPC answers.
   * @param signal ends a start that takes long: one that executes many blocks again, or waits for the time of genesis
   * @throws what `endOf` makes of a CometBFT that ends before
   */
  static async start(options: CometProcessOptions, signal: AbortSignal): Promise<CometProcess> {
    const comet = new CometProcess(options)
    const onAbort = (): void => comet.#stopping.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      await comet.#startFirst()
      return comet
    } catch (thrown) {
      await comet.stop()
      throw thrown
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Id of the process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** How many times it was started again. */
  get restarts(): number {
    return this.#restarts
  }

  /** Ends it, by SIGTERM at first; no further one is started. */
  async stop(): Promise<void> {
    if (!this.#stopping.signal.aborted) {
      this.#stopping.abort(new LockstepError('INTERRUPTED', 'CometBFT: stopped'))
    }
    this.#child?.kill('SIGTERM')
    const { graceMs = GRACE_MS } = this.#options
    const kill = startTimer(() => this.#child?.kill('SIGKILL'), graceMs)
    await this.#ended
    stopTimer(kill)
    await this.#running
  }

  async #startFirst(): Promise<void> {
    const until = performance.now() + PASSING_MS
    for (;;) {
      const began = performance.now()
      try {
        await this.#startOnce()
        return
      } catch (thrown) {
        const isPast = performance.now() > until || !(thrown instanceof LockstepError)
        if (isPast || !isPassing(thrown)) throw thrown
        await this.#waitAgain(thrown, performance.now() - began)
      }
    }
  }

  /** Starts it, and resolves when its RPC answers. From then on its end has it started again. */
  async #startOnce(): Promise<void> {
    const { root, log, prepare } = this.#options
    this.#stopping.signal.throwIfAborted()
    const earlier = await endEarlier(root)
    if (earlier !== undefined) log.warn('ended the CometBFT of an earlier start', { pid: earlier })
    this.#stopping.signal.throwIfAborted()
    prepare()
    const began = performance.now()
    const { ended } = this.#spawn()
    let isEnded = false
    const failed = ended.then((reason) => {
      isEnded = true
      throw reason
    })
    failed.catch(() => {})
    await Promise.race([failed, this.#untilUp(() => isEnded)])
    if (isEnded) await failed
    log.info('CometBFT answers', { pid: this.#child?.pid })
    this.#options.onUp()
    ended.then((reason) => {
      if (this.#stopping.signal.aborted) return
      this.#running = this.#startAgain(reason, performance.now() - began)
    })
  }

  async #untilUp(isEnded: () => boolean): Promise<void> {
    while (!isEnded()) {
      if (await this.#options.isUp().catch(() => false)) return
      await this.#wait(ASK_MS)
    }
  }

  async #startAgain(first: LockstepError, ranMs: number): Promise<void> {
    const { onFailure } = this.#options
    let reason = first
    let lived = ranMs
    while (!this.#stopping.signal.aborted) {
      if (isFatal(reason)) {
        onFailure(reason)
        return
      }
      this.#restarts++
      try {
        await this.#waitAgain(reason, lived)
        lived = 0
        await this.#startOnce()
        return
      } catch (thrown) {
        if (thrown instanceof LockstepError) reason = thrown
        else reason = new LockstepError('COMETBFT_FAILED', messageOf(thrown), { cause: thrown })
      }
    }
  }

  /** Waits before it is started again. */
  async #waitAgain(reason: LockstepError, ranMs: number): Promise<void> {
    const pauseMs = this.#pause.after(ranMs)
    this.#options.log.warn('CometBFT is started again', { reason: reason.message, pauseMs })
    await this.#wait(pauseMs)
  }

  async #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping
    await delay(milliseconds, { signal }).catch(() => signal.throwIfAborted())
  }

  #spawn(): { readonly ended: Promise<LockstepError> } {
    const { program, root } = this.#options
    // Its RPC listens at a path within its folder. A program that is named by a path is meant from that of the node.
    const child = spawn(
      program.includes('/') ? resolve(program) : program,
      ['start', '--home', root],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: cometEnvironment(),
        // Ctrl-C is for the node, which ends CometBFT before what CometBFT asks.
        detached: true,
      },
    )
    this.#child = child
    if (child.pid !== undefined) noteProcess(root, child.pid)
    // A node that fails ends without stopping it. It would notice, since the application is gone.
    const end = (): void => {
      child.kill('SIGTERM')
    }
    process.once('exit', end)
    const said: string[] = []
    const take = (text: string): void => this.#take(text, said)
    eachLine(child.stdout, take)
    eachLine(child.stderr, take)
    const ended = new Promise<LockstepError>((resolve) => {
      child.once('error', (error) => resolve(endOf('cannot be started', [messageOf(error)])))
      child.once('close', (code, signal) => resolve(endOf(`ended with ${signal ?? code}`, said)))
    }).then((reason) => {
      this.#child = undefined
      process.off('exit', end)
      forgetProcess(root)
      return reason
    })
    this.#ended = ended.then(() => {})
    return { ended }
  }

  /** A line of what it writes. */
  #take(text: string, said: string[]): void {
    const { log, nextHeight, onFailure } = this.#options
    const line = readCometLine(text)
    const isStopping = this.#stopping.signal.aborted
    if (line === undefined) {
      if (text.trim() === '') return
      keep(said, text)
      log[isStopping ? 'debug' : 'error']('CometBFT wrote', { line: text })
      return
    }
    // What it waits for is ended before it is: it tells of that as of failures.
    if (isStopping) {
      log.debug(line.message, { module: line.module, ...line.fields })
      return
    }
    const failure = failureOf(line, nextHeight())
    this.#log.write(line)
    if (line.level === 'error') keep(said, `${line.message}: ${line.fields.err ?? ''}`)
    if (failure !== undefined) onFailure(failure)
  }
}

function keep(said: string[], text: string): void {
  if (said.length < KEPT_LINES) said.push(text)
  else said[KEPT_LINES - 1] = text
}
