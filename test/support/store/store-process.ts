import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type {
  SplitWriterReport,
  SplitWriterTask,
} from '../../unit/storage/store/state/split-writer.ts'

/** When a process is to be killed: so long after a phase began for the n-th time. */
export interface KillPoint {
  readonly phase: string
  readonly occurrence: number
  readonly milliseconds: number
  /** Whether it flushes and merges what it finds, before it takes blocks. */
  readonly settles: boolean
  /** Heights after which it is killed at the latest. */
  readonly heights: number
}

/** What a process said until it was killed. */
export interface KilledStore {
  /** What it found at opening; undefined when it did not come that far. */
  readonly found: SplitWriterReport | undefined
  /** App hashes of the heights that it acknowledged. */
  readonly acknowledged: ReadonlyMap<number, string>
  /** What it was in the midst of. */
  readonly phases: readonly string[]
}

/** A process that writes blocks, loaded and waiting for its start: what takes time is done before. */
export class StoreProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #open = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  readonly #acknowledged = new Map<number, string>()
  #found: SplitWriterReport | undefined
  #errors = ''
  #kill: KillPoint | undefined

  /** @param command runs split-writer.ts. */
  constructor(command: readonly string[], task: SplitWriterTask) {
    const [program = '', ...args] = [...command, JSON.stringify(task)]
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stderr.on('data', (data) => {
      this.#errors += data
    })
    let rest = ''
    this.#child.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#read(line)
    })
    // A process that was killed before it read its start
    this.#child.stdin.on('error', () => {})
  }

  /** Starts it, kills it at the point, and says how far it came. @throws Error when it ends by itself */
  async runUntil(kill: KillPoint): Promise<KilledStore> {
    this.#kill = kill
    const ended = new Promise<[number | null, string | null]>((resolve) => {
      this.#child.on('close', (code, signal) => resolve([code, signal]))
    })
    this.#child.stdin.write(kill.settles ? 's' : 'a')
    const [code, signal] = await ended
    if (signal !== 'SIGKILL') throw new Error(`the store ended with ${code}: ${this.#errors}`)
    return {
      found: this.#found,
      acknowledged: this.#acknowledged,
      phases: [...this.#open].filter(([, count]) => count > 0).map(([phase]) => phase),
    }
  }

  /** Ends it, started or not. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.on('close', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }

  #read(line: string): void {
    const [kind = '', ...words] = line.split(' ')
    const what = words.join(' ')
    if (kind === '>') this.#begin(what)
    else if (kind === '<') this.#open.set(what, (this.#open.get(what) ?? 0) - 1)
    else if (kind === 'found') this.#found = JSON.parse(what) as SplitWriterReport
    else if (kind === 'acknowledged') this.#acknowledge(Number(words[0]), words[1] ?? '')
  }

  #begin(phase: string): void {
    this.#open.set(phase, (this.#open.get(phase) ?? 0) + 1)
    const count = (this.#begun.get(phase) ?? 0) + 1
    this.#begun.set(phase, count)
    const kill = this.#kill
    if (kill === undefined || phase !== kill.phase || count !== kill.occurrence) return
    if (kill.milliseconds === 0) this.#child.kill('SIGKILL')
    else setTimeout(() => this.#child.kill('SIGKILL'), kill.milliseconds)
  }

  #acknowledge(height: number, appHash: string): void {
    this.#acknowledged.set(height, appHash)
    if (this.#acknowledged.size >= (this.#kill?.heights ?? 0)) this.#child.kill('SIGKILL')
  }
}
