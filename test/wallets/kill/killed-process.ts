import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromKilled, ToKilled } from './kill-messages.ts'

/**
 * A process that is repeatedly killed and replaced. The next one starts in advance, since loading its code takes
 * time.
 */
export class KilledProcess {
  readonly #main: string
  readonly #message: ToKilled
  #spare: ChildProcess
  #running: ChildProcess | undefined
  /** Port of the process. */
  port = 0
  /** Unexpected exits. */
  readonly faults: string[] = []

  constructor(main: 'signer-main.ts' | 'service-main.ts', message: ToKilled) {
    this.#main = fileURLToPath(new URL(main, import.meta.url))
    this.#message = message
    this.#spare = this.#fork()
  }

  /** Resolves as soon as it serves. */
  async start(): Promise<void> {
    const child = this.#spare
    this.#spare = this.#fork()
    this.#running = child
    const ready = new Promise<FromKilled>((resolve) => child.once('message', resolve))
    child.send(this.#message)
    this.port = (await ready).ready
  }

  /** Kills the process with SIGKILL, at once. */
  async kill(): Promise<void> {
    await kill(this.#running)
  }

  async stop(): Promise<void> {
    await Promise.all([kill(this.#running), kill(this.#spare)])
  }

  #fork(): ChildProcess {
    const child = fork(this.#main, [])
    child.on('exit', (code, signal) => {
      if (signal !== 'SIGKILL') this.faults.push(`${this.#main} ended with ${code}`)
    })
    return child
  }
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}
