import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ClaimKey, Claims } from '../../../host/payments/claim/claims.ts'
import { RemoteCalls } from '../remote-calls.ts'

const MAIN = fileURLToPath(new URL('claim-process-main.ts', import.meta.url))

/** Rejection of a call whose process is killed before the response. */
export class Killed extends Error {}

/** The claims of a folder, opened by another process. */
export class ClaimProcess implements Claims {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #isGone = false
  readonly #calls = new RemoteCalls((call) => {
    if (this.#isGone) this.#calls.fail(new Killed('the process has ended'))
    // Errors are ignored: the end of a killed process rejects the calls in flight
    else this.#child.send(call, () => {})
  })

  readonly claim = this.#calls.method<Claims['claim']>('claim')
  readonly isHeld = () => true
  readonly obstacle = this.#calls.method<Claims['obstacle']>('obstacle')
  readonly settling = this.#calls.method<Claims['settling']>('settling')
  readonly settled = this.#calls.method<Claims['settled']>('settled')
  readonly delivered = this.#calls.method<Claims['delivered']>('delivered')
  readonly release = this.#calls.method<Claims['release']>('release')
  readonly failed = this.#calls.method<Claims['failed']>('failed')
  readonly removed = this.#calls.method<Claims['removed']>('removed')
  readonly describe = this.#calls.method<Claims['describe']>('describe')
  readonly #open = this.#calls.method<() => Promise<void>>('open')
  readonly #close = this.#calls.method<() => Promise<void>>('close')
  readonly #deliverAndDie = this.#calls.method<Claims['delivered']>('deliverAndDie')

  /**
   * Resolves when the folder is open.
   * @param command prefix of the command of the process
   */
  static async start(folder: string, command: readonly string[] = []): Promise<ClaimProcess> {
    const process = new ClaimProcess(folder, command)
    await process.#open()
    return process
  }

  private constructor(folder: string, command: readonly string[]) {
    const [execPath = '', ...execArgv] = [...command, process.execPath]
    this.#child = fork(MAIN, [folder], { serialization: 'advanced', execPath, execArgv })
    this.#child.on('message', (reply) => this.#calls.take(reply as never))
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#isGone = true
        this.#calls.fail(new Killed(`the process ended with ${code ?? signal}`))
        resolve()
      })
    })
  }

  /** Closes the claims and ends the process. */
  async close(): Promise<void> {
    if (!this.#isGone) await this.#close()
    await this.#ended
  }

  /** Records a delivery, and kills the process immediately after it. */
  async deliverAndDie(key: ClaimKey): Promise<void> {
    await this.#deliverAndDie(key).catch(() => {})
    await this.#ended
  }

  /** Kills the process with SIGKILL. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
