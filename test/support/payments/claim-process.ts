import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../host/base/hex.ts'
import { fromPlainError } from '../../../host/base/plain-error.ts'
import type {
  ClaimFacts,
  ClaimKey,
  ClaimOutcome,
  Claims,
  LostReason,
  TokenUnit,
} from '../../../host/payments/claim/claims.ts'
import type { ClaimCall, ClaimReply } from './claim-process-main.ts'

const MAIN = fileURLToPath(new URL('claim-process-main.ts', import.meta.url))

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** What a call of a process that was killed meanwhile rejects with. */
export class Killed extends Error {}

/** The claims of a folder, as another process has them open. */
export class ClaimProcess implements Claims {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #ended: Promise<void>
  #nextId = 0
  #isGone = false

  /**
   * Resolves once the folder is open.
   * @param command goes before that of the process
   */
  static async start(folder: string, command: readonly string[] = []): Promise<ClaimProcess> {
    const process = new ClaimProcess(folder, command)
    await process.#call('open')
    return process
  }

  private constructor(folder: string, command: readonly string[]) {
    const [execPath = '', ...execArgv] = [...command, process.execPath]
    this.#child = fork(MAIN, [folder], { serialization: 'advanced', execPath, execArgv })
    this.#child.on('message', ({ id, value, error }: ClaimReply) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(fromPlainError(error))
    })
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#isGone = true
        const error = new Killed(`the process ended with ${code ?? signal}`)
        for (const { reject } of this.#waiting.values()) reject(error)
        this.#waiting.clear()
        resolve()
      })
    })
  }

  claim(key: ClaimKey, facts: ClaimFacts, maxAttempts?: number): Promise<ClaimOutcome> {
    return this.#call('claim', key, facts, maxAttempts) as Promise<ClaimOutcome>
  }

  obstacle(key: ClaimKey, facts: ClaimFacts): Promise<LostReason | undefined> {
    return this.#call('obstacle', key, facts) as Promise<LostReason | undefined>
  }

  async settling(key: ClaimKey, txHash: Hex): Promise<void> {
    await this.#call('settling', key, txHash)
  }

  async settled(key: ClaimKey, txHash: Hex): Promise<void> {
    await this.#call('settled', key, txHash)
  }

  async delivered(key: ClaimKey): Promise<void> {
    await this.#call('delivered', key)
  }

  async release(key: ClaimKey): Promise<void> {
    await this.#call('release', key)
  }

  async failed(key: ClaimKey): Promise<void> {
    await this.#call('failed', key)
  }

  async removed(chainId: bigint, txHashes: readonly Hex[]): Promise<void> {
    await this.#call('removed', chainId, txHashes)
  }

  async describe(chainId: bigint, asset: Hex, unit: TokenUnit): Promise<void> {
    await this.#call('describe', chainId, asset, unit)
  }

  /** Closes the claims, and ends the process. */
  async close(): Promise<void> {
    if (!this.#isGone) await this.#call('close')
    await this.#ended
  }

  /** Notes a delivery, and is killed before anything else can happen. */
  async deliverAndDie(key: ClaimKey): Promise<void> {
    await this.#call('deliverAndDie', key).catch(() => {})
    await this.#ended
  }

  /** kill -9; resolves once it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  #call(method: ClaimCall['method'], ...args: unknown[]): Promise<unknown> {
    if (this.#isGone) return Promise.reject(new Killed('the process has ended'))
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      // One that is being killed takes no more: its end rejects what waits.
      this.#child.send({ id, method, args } satisfies ClaimCall, () => {})
    })
  }
}
