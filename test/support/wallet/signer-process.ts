import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { LockstepError } from '../../../host/base/error.ts'
import { childCommand } from '../../../host/wallet/launch/child-command.ts'
import type { SignerStart, StartLine } from '../../../host/wallet/launch/start-contract.ts'
import { PUBLIC_URL } from './signer-socket.ts'

const MAIN = new URL('../../../host/wallet/signer/signer-main.ts', import.meta.url)

/** Where and how a signer runs. */
export interface SignerPlace {
  /** Folder of its files, by default a temporary one. */
  readonly folder?: string
  /** Prefix of its command, for example for another view of the file system or for limits. */
  readonly command?: readonly string[]
}

/** The signer as the daemon runs it: a confined process that can be killed and restarted. */
export class SignerProcess {
  readonly folder: string
  readonly socket: string
  /** Lines of its log. */
  readonly logged: string[] = []
  readonly #sockets = mkdtempSync(join(tmpdir(), 's-'))
  readonly #before: readonly string[]
  readonly #key = randomBytes(32)
  #child: ChildProcess | undefined

  constructor({ folder = mkdtempSync(join(tmpdir(), 'signer-')), command = [] }: SignerPlace = {}) {
    this.folder = folder
    this.socket = join(this.#sockets, 's')
    this.#before = command
  }

  /** Resolves when the signer responds. */
  async start(): Promise<void> {
    const own = childCommand(MAIN, {
      read: [],
      write: [this.folder, this.#sockets],
      addons: false,
    })
    const [program = '', ...args] = [...this.#before, ...own]
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
    // Read to the end, because a process blocks if its output is not read.
    const lines = createInterface({ input: child.stdout })
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (text) => {
        const said = JSON.parse(text)
        if ('ready' in said) resolve()
        else if ('failed' in said) {
          const { code, message, hint } = said.failed
          reject(new LockstepError(code, message, { hint }))
        } else this.logged.push(text)
      })
      lines.on('close', () => reject(new Error('the signer ended before it was ready')))
    })
  }

  /** Kills the process with SIGKILL. */
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
    rmSync(this.#sockets, { recursive: true })
  }
}
