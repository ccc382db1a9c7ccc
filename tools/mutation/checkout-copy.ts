import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { VitestReport } from '../steady/steady-run.ts'

/**
 * Bounds of tests and hooks without one of their own: what hangs by a mutant is found within them. A test that takes
 * longer without the mutant as well does not count.
 */
const TIMEOUTS = ['--testTimeout', '30000', '--hookTimeout', '60000']

/** How a program ended that may have been stopped for its time. */
export interface Ended {
  readonly code: number
  readonly output: string
  readonly isStopped: boolean
}

/**
 * A copy of a checkout's files, with its packages and what it has built: mutants are written here alone, so that a run
 * that is killed leaves the checkout as it was.
 */
export class CheckoutCopy {
  readonly folder: string
  readonly #root: string
  #stop = () => {}

  constructor(root: string) {
    this.#root = root
    this.folder = mkdtempSync(join(tmpdir(), 'lockstep-mutation-'))
    const listed = execFileSync(
      'git',
      ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
      { encoding: 'utf8', maxBuffer: 2 ** 26 },
    )
    for (const path of listed.split('\0')) {
      if (path === '' || !existsSync(join(root, path))) continue
      mkdirSync(dirname(join(this.folder, path)), { recursive: true })
      // With their times: what tests compile is built again for a file that is younger.
      cpSync(join(root, path), join(this.folder, path), { preserveTimestamps: true })
    }
    for (const name of ['node_modules', 'bench/peers/node_modules', '.cache']) {
      if (existsSync(join(root, name))) symlinkSync(join(root, name), join(this.folder, name))
    }
    this.#copyBuild()
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text)
  }

  /** Puts a file back as the checkout has it, and what was built from it. */
  restore(path: string): void {
    cpSync(join(this.#root, path), join(this.folder, path), { preserveTimestamps: true })
    rmSync(join(this.folder, 'build'), { recursive: true, force: true })
    this.#copyBuild()
  }

  /** Builds what the change makes stale. */
  build(seconds: number): Promise<Ended> {
    return this.#run(['tools/run.mjs', 'ready'], seconds, {})
  }

  /** Runs files of the fast set until one fails. */
  async runTests(
    files: readonly string[],
    seconds: number,
  ): Promise<{ readonly ended: Ended; readonly report: VitestReport | undefined }> {
    const output = join(this.folder, 'build/report.json')
    rmSync(output, { force: true })
    const flags = ['--bail', '1', ...TIMEOUTS, '--reporter=json', `--outputFile=${output}`]
    const ended = await this.#run(['tools/run.mjs', 'test', ...flags, ...files], seconds, {
      NO_COLOR: '1',
    })
    if (!existsSync(output)) return { ended, report: undefined }
    return { ended, report: JSON.parse(readFileSync(output, 'utf8')) }
  }

  /** Ends what runs in the copy, and deletes it. */
  remove(): void {
    this.#stop()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #copyBuild(): void {
    const built = join(this.#root, 'build')
    if (!existsSync(built)) return
    cpSync(built, join(this.folder, 'build'), { recursive: true, preserveTimestamps: true })
  }

  /** In a process group of its own, which ends as a whole when the time is over. */
  #run(
    args: readonly string[],
    seconds: number,
    environment: Readonly<Record<string, string>>,
  ): Promise<Ended> {
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      detached: true,
      // Nodes under test run the sources of the copy, not what the checkout has bundled.
      env: { ...process.env, ...environment, BUNDLED_COMMAND: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    let isStopped = false
    this.#stop = () => {
      const isRunning = child.exitCode === null && child.signalCode === null
      if (child.pid !== undefined && isRunning) process.kill(-child.pid, 'SIGKILL')
    }
    const timer = setTimeout(() => {
      isStopped = true
      this.#stop()
    }, seconds * 1000)
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => {
        clearTimeout(timer)
        this.#stop = () => {}
        resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString(), isStopped })
      })
    })
  }
}
