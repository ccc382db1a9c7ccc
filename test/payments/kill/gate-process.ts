import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { replyTo } from '../../support/remote-calls.ts'
import type { FromGate, ToGate } from './gate-messages.ts'
import type { KillChain } from './kill-chain.ts'

const MAIN = fileURLToPath(new URL('gate-process-main.ts', import.meta.url))

/** A gate process that has loaded its code and waits for the message to open a folder. */
export class GateProcess {
  readonly #child: ChildProcess
  readonly #chain: KillChain
  readonly #gone: Promise<void>
  #onReady: ((url: string) => void) | undefined
  /** Proofs whose delivery is on disk. */
  readonly marked = new Set<string>()
  /** Unexpected errors of the gate. */
  readonly failures: string[] = []
  isKilled = false
  url = ''

  constructor(chain: KillChain) {
    this.#chain = chain
    this.#child = fork(MAIN, [], { serialization: 'advanced' })
    this.#child.on('message', (message: FromGate) => this.#take(message))
    // Messages sent before the kill are read first.
    this.#gone = new Promise((resolve) => this.#child.once('disconnect', resolve))
    this.#child.on('exit', (code) => {
      if (!this.isKilled) this.failures.push(`ended with ${code}`)
    })
  }

  /** Resolves as soon as the gate listens. */
  async open(message: Omit<Extract<ToGate, { kind: 'open' }>, 'kind'>): Promise<void> {
    this.#chain.onBlock.add(this.#announce)
    const url = new Promise<string>((resolve) => {
      this.#onReady = resolve
    })
    this.#tell({ kind: 'open', ...message })
    this.url = await url
  }

  /** Kills the process with SIGKILL. Resolves after it has ended and all its messages were read. */
  async kill(): Promise<void> {
    this.isKilled = true
    this.#chain.onBlock.delete(this.#announce)
    this.#child.kill('SIGKILL')
    await this.#gone
  }

  readonly #announce = () => this.#tell({ kind: 'block' })

  #tell(message: ToGate): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #take(message: FromGate): void {
    if (message.kind === 'ready') this.#onReady?.(message.url)
    else if (message.kind === 'marked') this.marked.add(message.proof)
    else if (message.kind === 'failure') this.failures.push(message.text)
    else void replyTo(this.#chain, message).then((reply) => this.#tell(reply))
  }
}
