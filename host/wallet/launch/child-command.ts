import { realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a process of its own may do, by Node's permission model. */
export interface ChildPermissions {
  /** Folders, with all that is below them, and files. */
  readonly read: readonly string[]
  /** Folders, with all that is below them. */
  readonly write: readonly string[]
  /** Native packages: they could do what the model forbids. */
  readonly addons: boolean
}

const PACKAGE = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)))

/**
 * Folders of the code: that of this package, and that of what it depends on, which may be a link, or the one that it is
 * installed in.
 */
function codeFolders(): readonly string[] {
  const root = realpathSync(PACKAGE)
  const parts = root.split(sep)
  const outermost = parts.indexOf('node_modules')
  const modules =
    outermost === -1 ? join(root, 'node_modules') : parts.slice(0, outermost + 1).join(sep)
  return [root, modules]
}

/** A path as the kernel sees it, which is what the model compares. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The command line of a process: no core dump, no debugger, no threads and children, no text that is run as code, no
 * native code unless it is asked for, and of the file system only what it is given.
 */
export function childCommand(
  script: URL,
  { read, write, addons }: ChildPermissions,
): readonly [program: string, ...args: string[]] {
  const readable = [...codeFolders(), ...read, ...write].map(real)
  const flags = [
    '--permission',
    // A folder is read itself when modules are looked for, and with all below it.
    ...readable.flatMap((path) => [
      `--allow-fs-read=${path}`,
      `--allow-fs-read=${join(path, '*')}`,
    ]),
    ...write.map((path) => `--allow-fs-write=${join(real(path), '*')}`),
    ...(addons ? ['--allow-addons'] : ['--no-addons']),
    '--disable-sigusr1',
    '--disallow-code-generation-from-strings',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
  ]
  // Node cannot lower limits of its own process.
  const limited = 'ulimit -c 0; umask 077; exec "$0" "$@"'
  return ['/bin/sh', '-c', limited, process.execPath, ...flags, fileURLToPath(script)]
}
