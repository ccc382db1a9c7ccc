import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { LockstepError } from '../../base/error.ts'
import { delay, startTimer, stopTimer } from '../../base/timer.ts'
import { type ReadyFacts, readReadyFile } from '../client/ready-file.ts'
import type { NetworkHome } from './network-homes.ts'

/** Lines of stderr that an error quotes. */
const QUOTED_LINES = 3
/** Milliseconds between two checks for the ready file. */
const LOOK_MS = 50
/** A node that has not stopped within this time is killed. */
const GRACE_MS = 60_000

/** A node of a network, as a child process. Its log is in the file of its home. */
export class NodeProcess {
  readonly node: NetworkHome
  readonly #child: ChildProcess
  readonly #ended: Promise<string>
  #end: string | undefined
  readonly #lines: string[] = []

  /** @param args flags of `lockstep start` beside the home */
  constructor(node: NetworkHome, args: readonly string[]) {
    this.node = node
    const [, script = ''] = process.argv
    const command = [...process.execArgv, script, 'start', '--home', node.home.root, ...args]
    const child = spawn(process.execPath, command, {
      stdio: ['ignore', 'ignore', 'pipe'],
      // Ctrl-C goes to the command that shows all nodes.
      detached: true,
    })
    this.#child = child
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      this.#lines.push(line)
      if (this.#lines.length > QUOTED_LINES) this.#lines.shift()
    })
    this.#ended = new Promise((resolve) => {
      child.once('error', ({ message }) => resolve(message))
      child.once('close', (code, signal) => resolve(`${signal ?? code}`))
    })
    void this.#ended.then((how) => {
      this.#end = how
    })
  }

  /** Exit code or signal, after it has ended. */
  get end(): string | undefined {
    return this.#end
  }

  /** The last lines that it wrote to stderr. */
  get lastLines(): readonly string[] {
    return this.#lines
  }

  /**
   * Resolves with its addresses.
   * @throws NODE_UNREACHABLE with its output, if it ends before; the reason of the signal
   */
  async untilReady(signal: AbortSignal): Promise<ReadyFacts> {
    for (;;) {
      signal.throwIfAborted()
      if (this.#end !== undefined) throw this.#unready(this.#end)
      const facts = readReadyFile(this.node.home.running)
      if (facts?.pid === this.#child.pid && facts !== undefined) return facts
      await delay(LOOK_MS)
    }
  }

  #unready(how: string): LockstepError {
    const { name } = this.node
    return new LockstepError('NODE_UNREACHABLE', `${name} ended with ${how} before it answered`, {
      hint: this.#lines.join('\n'),
    })
  }

  /** Stops it gracefully, and kills it if that takes too long. */
  async stop(): Promise<void> {
    if (this.#end !== undefined) return
    this.#child.kill('SIGTERM')
    const timer = startTimer(() => this.kill(), GRACE_MS)
    await this.#ended
    stopTimer(timer)
  }

  /** Kills it. */
  kill(): void {
    if (this.#end === undefined) this.#child.kill('SIGKILL')
  }
}
