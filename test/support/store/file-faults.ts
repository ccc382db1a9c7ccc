import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

type FileHandle = Awaited<ReturnType<typeof files.open>>

/** Methods of a file handle that call the operating system. */
const HANDLE_CALLS = ['writeFile', 'sync'] as const

/** A rename that may not be on disk yet. */
interface Rename {
  readonly to: string
  /** Previous content under the new name, or undefined if there was none. */
  readonly before: Buffer | undefined
}

/** Thrown in place of the call at which the process dies. After it, tests read only the files. */
export class Died extends Error {}

/**
 * Counts the calls that replace files, lets the process die at one of them, and then reverts what a power failure may
 * lose: bytes and names that were not synced.
 */
export class FileFaults {
  /** Calls since `arm`. */
  calls = 0
  #fatal = Number.POSITIVE_INFINITY
  readonly #die: () => never
  readonly #unsynced = new Set<string>()
  readonly #renames = new Map<string, Rename[]>()
  readonly #paths = new WeakMap<FileHandle, string>()
  readonly #restore: (() => void)[] = []

  private constructor(die: () => never) {
    this.#die = die
  }

  /** @param directory any folder, used to find the class of file handles */
  static async install(
    directory: string,
    die = (): never => {
      throw new Died('died')
    },
  ): Promise<FileFaults> {
    const faults = new FileFaults(die)
    const probe = await files.open(directory, 'r')
    const prototype = Object.getPrototypeOf(probe)
    await probe.close()
    faults.#patch(prototype)
    return faults
  }

  /** Lets the process die in place of the call with this index, from 0. */
  arm(fatal = Number.POSITIVE_INFINITY): void {
    this.calls = 0
    this.#fatal = fatal
    this.#unsynced.clear()
    this.#renames.clear()
  }

  /** Reverts some of what was not synced, as a power failure may. */
  losePower(random: () => number): void {
    this.#fatal = Number.POSITIVE_INFINITY
    for (const path of this.#unsynced) {
      if (existsSync(path)) truncateSync(path, Math.floor(random() * statSync(path).size))
    }
    for (const { to, before } of [...this.#renames.values()].flat()) {
      if (random() < 0.5) continue
      if (before === undefined) rmSync(to, { force: true })
      else writeFileSync(to, before)
    }
  }

  uninstall(): void {
    for (const restore of this.#restore.splice(0)) restore()
    syncBuiltinESMExports()
  }

  #step(): void {
    if (this.calls >= this.#fatal) this.#die()
    this.calls++
  }

  #patch(prototype: Record<string, (...args: unknown[]) => unknown>): void {
    const { open, rename, rm } = files
    files.rm = async (path, options) => {
      this.#step()
      await rm(path, options)
    }
    files.open = async (path, flags, mode) => {
      this.#step()
      const handle = await open(path, flags, mode)
      this.#paths.set(handle, String(path))
      if (flags === 'w') this.#unsynced.add(String(path))
      return handle
    }
    files.rename = async (from, to) => {
      this.#step()
      const target = String(to)
      const before = existsSync(target) ? readFileSync(target) : undefined
      await rename(from, to)
      if (this.#unsynced.delete(String(from))) this.#unsynced.add(target)
      const folder = target.slice(0, target.lastIndexOf('/'))
      this.#renames.set(folder, [{ to: target, before }, ...(this.#renames.get(folder) ?? [])])
    }
    this.#restore.push(() => Object.assign(files, { open, rename, rm }))
    for (const name of HANDLE_CALLS) {
      const original = prototype[name] as (...args: unknown[]) => Promise<unknown>
      const faults = this
      prototype[name] = async function (this: FileHandle, ...args: unknown[]) {
        faults.#step()
        const result = await original.apply(this, args)
        const path = faults.#paths.get(this)
        if (name === 'sync' && path !== undefined) {
          faults.#unsynced.delete(path)
          faults.#renames.delete(path)
        }
        return result
      }
      this.#restore.push(() => {
        prototype[name] = original
      })
    }
    syncBuiltinESMExports()
  }
}
