import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { eachLine } from '../../../base/process/each-line.ts'
import type { ProcessLog } from '../../../base/process/process-log.ts'
import { RestartPause } from '../../../base/process/restart-pause.ts'
import { delay, startTimer, stopTimer } from '../../../base/timer.ts'
import { cometExitError, isFatal, isTransient, loggedFailure } from './comet-failure.ts'
import { CometLog } from './comet-log.ts'
import { readCometLine } from './comet-log-line.ts'
import { killEarlierComet, recordCometPid, removeCometPid } from './earlier-process.ts'

export interface CometProcessOptions {
  readonly program: string
  /** CometBFT's `--home`. */
  readonly root: string
  /** Called before each start. */
  readonly prepare: () => void
  /** Resolves to true if its RPC answers. */
  readonly isUp: () => Promise<boolean>
  /** Called after each start, when its RPC answers; its mempool is then empty. */
  readonly onUp: () => void
  /** Returns the height that the application executes next. */
  readonly nextHeight: () => number
  readonly log: ProcessLog
  /** Called if consensus has failed: CometBFT keeps running without it, but the node cannot continue. */
  readonly onFailure: (error: LockstepError) => void
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number
}

const GRACE_MS = 15_000

/** Milliseconds between two checks of its RPC. */
const ASK_MS = 25

/** Time for which a first start is retried if an earlier process still holds a resource. */
const PASSING_MS = 20_000

/** Lines kept for the error message: the first ones, since a panic begins with its reason, and the last. */
const KEPT_LINES = 10

/** Variables withheld: they would change its configuration or may hold secrets of the node. */
const WITHHELD = /^(?:CMT|TM|LOCKSTEP_)/

/** Returns the environment variables for CometBFT. */
export function cometEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)))
}

/** Starts a node's CometBFT, restarts it when it ends, and stops it. */
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
   * Starts CometBFT and resolves when its RPC answers.
   * @param signal aborts a long start, such as one that replays many blocks or waits for the genesis time
   * @throws the error of `endOf` if CometBFT ends first
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

  /** Process id; undefined while no process runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Number of restarts. */
  get restarts(): number {
    return this.#restarts
  }

  /** Ends the process, first with SIGTERM, and stops restarting it. */
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
        if (!(thrown instanceof LockstepError) || !isTransient(thrown)) throw thrown
        // An operator may start the signer at any time.
        if (performance.now() > until && thrown.code !== 'REMOTE_SIGNER') throw thrown
        await this.#waitAgain(thrown, performance.now() - began)
      }
    }
  }

  /** Starts the process and resolves when its RPC answers. Only after that its end triggers a restart. */
  async #startOnce(): Promise<void> {
    const { root, log, prepare } = this.#options
    this.#stopping.signal.throwIfAborted()
    const earlier = await killEarlierComet(root)
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

  /** Waits before a restart. */
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
    // The path of its RPC socket is relative to its folder. A relative `program` is relative to the node's folder.
    const child = spawn(
      program.includes('/') ? resolve(program) : program,
      ['start', '--home', root],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: cometEnvironment(),
        // Ctrl-C must reach only the node, which stops CometBFT before the application that CometBFT calls.
        detached: true,
      },
    )
    this.#child = child
    if (child.pid !== undefined) recordCometPid(root, child.pid)
    // A node that fails exits without stopping CometBFT.
    const end = (): void => {
      child.kill('SIGTERM')
    }
    process.once('exit', end)
    const said: string[] = []
    const take = (text: string): void => this.#take(text, said)
    eachLine(child.stdout, take)
    eachLine(child.stderr, take)
    const ended = new Promise<LockstepError>((resolve) => {
      child.once('error', (error) =>
        resolve(cometExitError('cannot be started', [messageOf(error)])),
      )
      child.once('close', (code, signal) =>
        resolve(cometExitError(`ended with ${signal ?? code}`, said)),
      )
    }).then((reason) => {
      this.#child = undefined
      process.off('exit', end)
      removeCometPid(root)
      return reason
    })
    this.#ended = ended.then(() => {})
    return { ended }
  }

  /** Handles a line of its output. */
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
    // During shutdown it logs the calls that the node aborts as failures.
    if (isStopping) {
      log.debug(line.message, { module: line.module, ...line.fields })
      return
    }
    const failure = loggedFailure(line, nextHeight())
    this.#log.write(line)
    if (line.level === 'error') keep(said, `${line.message}: ${line.fields.err ?? ''}`)
    if (failure !== undefined) onFailure(failure)
  }
}

function keep(said: string[], text: string): void {
  if (said.length < KEPT_LINES) said.push(text)
  else said[KEPT_LINES - 1] = text
}
