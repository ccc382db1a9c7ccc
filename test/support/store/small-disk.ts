import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1 << 20

/**
 * Returns why no small disk can be made here, or undefined if one can. It only needs user namespaces, which some
 * systems do not allow for ordinary users.
 */
export function noSmallDisk(): string | undefined {
  const script = 'mount -t tmpfs -o size=1m none /mnt'
  const { status, error, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script])
  if (status === 0) return undefined
  return `no file system can be mounted: ${error?.message ?? String(stderr).trim()}`
}

/** A file system of a few MiB mounted on a directory, for processes started with `command`. */
export class SmallDisk {
  readonly #holder: ChildProcess
  /** Path of the directory for other processes. */
  readonly outside: string
  readonly #ballast: string
  readonly #dir: string

  /** @param dir existing directory, whose content these processes do not see */
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

  /** Prefix of the command of a program that is to see the disk. */
  get command(): string[] {
    return ['nsenter', '-t', String(this.#holder.pid), '-U', '-m', '--preserve-credentials']
  }

  get freeMebibytes(): number {
    const { bavail, bsize } = statfsSync(this.outside)
    return (bavail * bsize) / MIB
  }

  /** Fills the disk until at most `mebibytes` are free. */
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

  /** Frees what `fillTo` took. */
  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  /** Remounts the disk read-only. */
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
