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
import type { VitestReport } from './vitest-report.ts'

/**
 * Bounds of tests and hooks without one of their own, to detect a hang caused by a mutant. A test that takes longer
 * without the mutant as well does not count.
 */
const TIMEOUTS = ['--testTimeout', '30000', '--hookTimeout', '60000']

/** How a program ended, which may have been stopped for its time. */
export interface Ended {
  readonly code: number
  readonly output: string
  readonly isStopped: boolean
}

/**
 * A copy of a checkout's files, with its packages and build products. Mutants are written only here, so a killed run
 * leaves the checkout unchanged.
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
      // Keeps the file times: tests rebuild their products for a file that is newer.
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

  /** Restores a file from the checkout, and its build products. */
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

  /** Ends everything that runs in the copy, and deletes it. */
  remove(): void {
    this.#stop()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #copyBuild(): void {
    const built = join(this.#root, 'build')
    if (!existsSync(built)) return
    cpSync(built, join(this.folder, 'build'), { recursive: true, preserveTimestamps: true })
  }

  /** Uses a process group, which ends as a whole when the time is up. */
  #run(
    args: readonly string[],
    seconds: number,
    environment: Readonly<Record<string, string>>,
  ): Promise<Ended> {
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      detached: true,
      // Nodes under test run the sources of the copy, not the checkout's bundle.
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
