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
  /** For messages. */
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  readonly variables: Readonly<Record<string, string>>
  readonly identity: Identity | undefined
  /** What it is started with, after its first start with the facts of that one. */
  start(first: Facts | undefined): Start
  /** Asked for at each start: the daemon keeps none of them. */
  secrets(): Promise<readonly MasterSecret[]>
  readonly log: ChildLog
  /** Resolves when it answers. One that is silent for some seconds, stopped or in a loop, is killed and replaced. */
  readonly ping?: (signal: AbortSignal, facts: Facts) => Promise<void>
  /** Between two looks at whether it answers. */
  readonly pingMs?: number
}

/** A process that is not ready by then has met something that no waiting mends. */
const LONGEST_START_MS = 120_000

/** Lines of stderr that an error quotes. */
const QUOTED_LINES = 5

/** A process that is started again when it ends, until it is stopped. */
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

  /** Resolves when it is ready. @throws the error that it failed with, or WALLETS_FAILED */
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

  /** Ends its input, and the process where it has not ended after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    stopTimer(this.#timer)
    const child = this.#child
    child?.stdin?.end()
    const kill = startTimer(() => child?.kill('SIGKILL'), graceMs)
    await this.#ended
    stopTimer(kill)
  }

  /** Starts the process; resolves with its facts, and has it started again when it ends after that. */
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
    let end: () => void = () => {}
    this.#ended = new Promise((resolve) => {
      end = resolve
    })
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

  /** Kills it when it answers no more; its end has it started again. */
  #watch(child: ChildProcess, facts: Facts): Liveness | undefined {
    const { name, log, ping, pingMs } = this.#options
    if (ping === undefined) return undefined
    return new Liveness({
      ping: (signal) => ping(signal, facts),
      lookMs: pingMs,
      onSilent: () => {
        if (this.#isStopping) return
        log.error(`${name} does not answer: it is killed and replaced`, { pid: child.pid })
        child.kill('SIGKILL')
      },
    })
  }

  #startAgain(reason: string, ranMs: number): void {
    const { name, log } = this.#options
    const pauseMs = this.#pause.after(ranMs)
    log.warn(`${name} is started again`, { reason, pauseMs })
    this.#timer = startTimer(() => {
      this.#run().catch((thrown) => {
        if (!this.#isStopping) this.#startAgain(messageOf(thrown), 0)
      })
    }, pauseMs)
  }

  /** Starts the process and hands it its line and secrets, which are zeroed once they are written. */
  #spawn(secrets: readonly MasterSecret[]): ChildProcess {
    const { command, variables, identity, start } = this.#options
    const [program, ...args] = command
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...variables },
      // Ctrl-C is for the daemon.
      detached: true,
    })
    const line: StartLine<Start> = {
      start: start(this.#facts),
      identity,
      secrets: secrets.map(({ kind, bytes }) => ({ kind, length: bytes.length })),
    }
    const { stdin } = child
    // It may be gone before it is written: its end tells.
    stdin.on('error', () => {})
    stdin.write(`${JSON.stringify(line)}\n`)
    for (const { bytes } of secrets) stdin.write(bytes, () => bytes.fill(0))
    return child
  }
}
