import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1 << 20

/**
 * Why no small disk can be made here; undefined where one can. It takes no rights but those of user
 * namespaces, which some systems keep from ordinary users.
 */
export function noSmallDisk(): string | undefined {
  const script = 'mount -t tmpfs -o size=1m none /mnt'
  const { status, error, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script])
  if (status === 0) return undefined
  return `no file system can be mounted: ${error?.message ?? String(stderr).trim()}`
}

/** A file system of a few MiB over a directory, for processes that are started through `command`. */
export class SmallDisk {
  readonly #holder: ChildProcess
  /** The directory as other processes see it. */
  readonly outside: string
  readonly #ballast: string
  readonly #dir: string

  /** @param dir exists; what it holds is hidden from these processes. */
  static async mount(dir: string, mebibytes: number): Promise<SmallDisk> {
    const script = `mount -t tmpfs -o size=${mebibytes}m none "$0" && echo mounted && read end`
    const holder = spawn('unshare', ['-rm', 'sh', '-c', script, dir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once('data', () => resolve())
      holder.once('close', (code) => reject(new Error(`mounting ${dir} ended with ${code}`)))
    })
    return new SmallDisk(holder, dir)
  }

  private constructor(holder: ChildProcess, dir: string) {
    this.#holder = holder
    this.#dir = dir
    this.outside = join(`/proc/${holder.pid}/root`, dir)
    this.#ballast = join(this.outside, 'ballast')
  }

  /** What to run so that a program sees the disk: goes before the program and its arguments. */
  get command(): string[] {
    return ['nsenter', '-t', String(this.#holder.pid), '-U', '-m', '--preserve-credentials']
  }

  get freeMebibytes(): number {
    const { bavail, bsize } = statfsSync(this.outside)
    return (bavail * bsize) / MIB
  }

  /** Fills it until no more than `mebibytes` are free. */
  fillTo(mebibytes: number): void {
    const file = openSync(this.#ballast, 'a')
    const piece = new Uint8Array(MIB / 4)
    try {
      while (this.freeMebibytes > mebibytes) writeSync(file, piece)
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown
    } finally {
      closeSync(file)
    }
  }

  /** Gives back what `fillTo` took. */
  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  /** Has nothing written to it any more. */
  makeReadOnly(): void {
    const [program = '', ...args] = [...this.command, 'mount', '-o', 'remount,ro', this.#dir]
    execFileSync(program, args)
  }

  async unmount(): Promise<void> {
    const ended = new Promise((resolve) => this.#holder.once('close', resolve))
    this.#holder.stdin?.end()
    await ended
  }
}
