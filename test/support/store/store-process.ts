import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type {
  SplitWriterReport,
  SplitWriterTask,
} from '../../unit/storage/store/state/split-writer.ts'

/** When to kill a process: some time after the n-th beginning of a phase. */
export interface KillPoint {
  readonly phase: string
  readonly occurrence: number
  readonly milliseconds: number
  /** True if it flushes and compacts what it finds before it accepts blocks. */
  readonly settles: boolean
  /** Number of heights after which it is killed at the latest. */
  readonly heights: number
}

/** What a process reported until it was killed. */
export interface KilledStore {
  /** What it found when it opened the store, or undefined if it was killed before. */
  readonly found: SplitWriterReport | undefined
  /** App hashes of the acknowledged heights. */
  readonly acknowledged: ReadonlyMap<number, string>
  /** Phases in progress at the kill. */
  readonly phases: readonly string[]
}

/** A process that writes blocks. It has loaded its code and waits for its start. */
export class StoreProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #open = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  readonly #acknowledged = new Map<number, string>()
  #found: SplitWriterReport | undefined
  #errors = ''
  #kill: KillPoint | undefined

  /** @param command prefix and path of split-writer.ts */
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
    // The process may be killed before it reads its input
    this.#child.stdin.on('error', () => {})
  }

  /** Starts it, kills it at the point, and returns its report. @throws Error if it ends by itself */
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

  /** Ends the process, started or not. */
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
