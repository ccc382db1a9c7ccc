import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { childCommand } from '../../../host/wallet/launch/child-command.ts'
import type { SignerStart, StartLine } from '../../../host/wallet/launch/start-contract.ts'
import { PUBLIC_URL } from './signer-socket.ts'

const MAIN = new URL('../../../host/wallet/signer/signer-main.ts', import.meta.url)

/** The signer as the daemon runs it: a confined process, which can be killed and started again. */
export class SignerProcess {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'signer-'))
  readonly socket: string = join(this.folder, 's')
  readonly #key = randomBytes(32)
  #child: ChildProcess | undefined

  /** Resolves once it answers. */
  async start(): Promise<void> {
    const [program, ...args] = childCommand(MAIN, {
      read: [],
      write: [this.folder],
      addons: false,
    })
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env: {} })
    this.#child = child
    const line: StartLine<SignerStart> = {
      start: {
        folder: this.folder,
        socket: this.socket,
        publicUrls: [PUBLIC_URL],
        requireRequestExpiry: false,
        requirePolicy: false,
        policyChanges: 'app',
      },
      identity: undefined,
      secrets: [{ kind: 'key', length: this.#key.length }],
    }
    child.stdin.on('error', () => {})
    child.stdin.write(`${JSON.stringify(line)}\n`)
    child.stdin.write(this.#key)
    for await (const text of createInterface({ input: child.stdout })) {
      const said = JSON.parse(text)
      if ('ready' in said) return
      if ('failed' in said) throw new Error(said.failed.message)
    }
    throw new Error('the signer ended before it was ready')
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** Ends it as its daemon does, and leaves its files. */
  async end(): Promise<void> {
    const child = this.#child
    if (child?.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }

  async stop(): Promise<void> {
    await this.end()
    rmSync(this.folder, { recursive: true })
  }
}
