import { type ChildProcess, spawn } from 'node:child_process'
import { LockstepError, messageOf } from '../../base/error.ts'
import { eachLine } from '../../base/process/each-line.ts'
import { RestartPause } from '../../base/process/restart-pause.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { MasterSecret } from '../vault/master-secret.ts'
import { errorOf, logChildLine, readChildLine } from './child-lines.ts'
import { Liveness } from './liveness.ts'
import type { ChildLog, Identity, StartLine } from './start-contract.ts'

export interface ChildOptions<Start, Facts> {
  /** Used in messages. */
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  readonly variables: Readonly<Record<string, string>>
  readonly identity: Identity | undefined
  /** Returns the start parameters. `first` are the facts of the first start, undefined until then. */
  start(first: Facts | undefined): Start
  /** Called at each start: the daemon keeps no secrets. */
  secrets(): Promise<readonly MasterSecret[]>
  readonly log: ChildLog
  /** Resolves when the process answers. A process that stays silent for some seconds is killed and restarted. */
  readonly ping?: (signal: AbortSignal, facts: Facts) => Promise<void>
  /** Milliseconds between two checks. */
  readonly pingMs?: number
}

/** A process that is not ready within this time is killed: waiting longer does not help. */
const LONGEST_START_MS = 120_000

/** Lines of stderr that an error quotes. */
const QUOTED_LINES = 5

/** A process that is restarted whenever it ends, until `stop`. */
export class SupervisedChild<Start, Facts> {
  readonly #options: ChildOptions<Start, Facts>
  #child: ChildProcess | undefined
  #facts: Facts | undefined
  #isStopping = false
  readonly #pause = new RestartPause()
  #timer: Timer | undefined
  #ended: Promise<void> = Promise.resolve()

  private constructor(options: ChildOptions<Start, Facts>) {
    this.#options = options
  }

  /** Resolves when the process is ready. @throws the error that it failed with, or WALLETS_FAILED */
  static async start<Start, Facts>(
    options: ChildOptions<Start, Facts>,
  ): Promise<{ child: SupervisedChild<Start, Facts>; facts: Facts }> {
    const child = new SupervisedChild(options)
    try {
      const facts = await child.#run()
      child.#facts = facts
      return { child, facts }
    } catch (thrown) {
      await child.stop(0)
      throw thrown
    }
  }

  /** Closes stdin, and kills the process if it has not ended after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    stopTimer(this.#timer)
    const child = this.#child
    child?.stdin?.end()
    const kill = startTimer(() => child?.kill('SIGKILL'), graceMs)
    await this.#ended
    stopTimer(kill)
  }

  /** Starts the process and resolves with its facts. Restarts it when it ends later. */
  async #run(): Promise<Facts> {
    const { name, log } = this.#options
    const secrets = await this.#options.secrets()
    if (this.#isStopping) throw new LockstepError('INTERRUPTED', `${name}: stopped`)
    const began = performance.now()
    const child = this.#spawn(secrets)
    this.#child = child
    const errors: string[] = []
    let liveness: Liveness | undefined
    const late = startTimer(() => child.kill('SIGKILL'), LONGEST_START_MS).unref()
    let isReady = false
    const { promise, resolve: end } = Promise.withResolvers<void>()
    this.#ended = promise
    return new Promise((resolve, reject) => {
      eachLine(child.stdout as NodeJS.ReadableStream, (text) => {
        const line = readChildLine<Facts>(text)
        if (line !== undefined && 'failed' in line) reject(errorOf(name, line.failed))
        else if (line !== undefined && 'ready' in line) {
          isReady = true
          late.stop()
          liveness = this.#watch(child, line.ready)
          log.info(`${name} answers`, { pid: child.pid })
          resolve(line.ready)
        } else logChildLine(line, log)
      })
      eachLine(child.stderr as NodeJS.ReadableStream, (text) => {
        errors.push(text)
        if (errors.length > QUOTED_LINES) errors.shift()
        log.error(`${name} wrote to stderr`, { line: text })
      })
      child.once('error', reject)
      child.once('close', (code, signal) => {
        this.#child = undefined
        late.stop()
        liveness?.stop()
        const how = `ended with ${signal ?? code}`
        const hint = errors.length === 0 ? {} : { hint: errors.join('\n') }
        reject(new LockstepError('WALLETS_FAILED', `${name} ${how} before it was ready`, hint))
        if (isReady && !this.#isStopping) {
          this.#startAgain(how, performance.now() - began)
        }
        end()
      })
    })
  }

  /** Kills the process when it stops answering; its end triggers a restart. */
  #watch(child: ChildProcess, facts: Facts): Liveness | undefined {
    const { name, log, ping, pingMs } = this.#options
    if (ping === undefined) return undefined
    return new Liveness({
      ping: (signal) => ping(signal, facts),
      lookMs: pingMs,
      onSilent: () => {
        if (this.#isStopping) return
        log.error(`${name} does not answer: it is killed and restarted`, { pid: child.pid })
        child.kill('SIGKILL')
      },
    })
  }

  #startAgain(reason: string, ranMs: number): void {
    const { name, log } = this.#options
    const pauseMs = this.#pause.after(ranMs)
    log.warn(`${name} is restarted`, { reason, pauseMs })
    this.#timer = startTimer(() => {
      this.#run().catch((thrown) => {
        if (!this.#isStopping) this.#startAgain(messageOf(thrown), 0)
      })
    }, pauseMs)
  }

  /** Spawns the process and writes its line and secrets, which are zeroed once they are written. */
  #spawn(secrets: readonly MasterSecret[]): ChildProcess {
    const { command, variables, identity, start } = this.#options
    const [program, ...args] = command
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...variables },
      // Keeps Ctrl-C from reaching it: the daemon decides.
      detached: true,
    })
    const line: StartLine<Start> = {
      start: start(this.#facts),
      identity,
      secrets: secrets.map(({ kind, bytes }) => ({ kind, length: bytes.length })),
    }
    const { stdin } = child
    // The process may exit before the write; the `close` event reports that.
    stdin.on('error', () => {})
    stdin.write(`${JSON.stringify(line)}\n`)
    for (const { bytes } of secrets) stdin.write(bytes, () => bytes.fill(0))
    return child
  }
}
