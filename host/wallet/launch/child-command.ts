import { realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Permissions of a child process under Node's permission model. */
export interface ChildPermissions {
  /** Folders with everything below them, and files. */
  readonly read: readonly string[]
  /** Folders with everything below them. */
  readonly write: readonly string[]
  /** Allows native packages, which can bypass the permission model. */
  readonly addons: boolean
}

const PACKAGE = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)))

/**
 * Returns the code folders: this package and the `node_modules` of its dependencies. The package may be linked, or
 * installed inside `node_modules`.
 */
function codeFolders(): readonly string[] {
  const root = realpathSync(PACKAGE)
  const parts = root.split(sep)
  const outermost = parts.indexOf('node_modules')
  const modules =
    outermost === -1 ? join(root, 'node_modules') : parts.slice(0, outermost + 1).join(sep)
  return [root, modules]
}

/** Resolves symbolic links: the permission model compares real paths. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * Returns the command line of a sandboxed process: no core dump, debugger, threads, children or `eval`. Native code
 * and file access only as granted.
 */
export function childCommand(
  script: URL,
  { read, write, addons }: ChildPermissions,
): readonly [program: string, ...args: string[]] {
  const readable = [...codeFolders(), ...read, ...write].map(real)
  const flags = [
    '--permission',
    // Module resolution reads the folder itself as well as everything below it.
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
  // The shell sets the limits: Node cannot lower those of its own process.
  const limited = 'ulimit -c 0; umask 077; exec "$0" "$@"'
  return ['/bin/sh', '-c', limited, process.execPath, ...flags, fileURLToPath(script)]
}
