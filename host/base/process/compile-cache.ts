import { mkdirSync } from 'node:fs'
import { constants, enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startTimer } from '../timer.ts'

/** Milliseconds after start at which a running process writes its compiled code. The start itself comes first. */
const WRITE_MS = 2_000

/**
 * Returns the folders for V8's compiled code, best first. V8 runs what it finds there. A folder beside the code is
 * safe if its writers can change the code too; other caches belong to the user.
 */
function cacheFolders(script: string): readonly string[] {
  const { XDG_CACHE_HOME: named = '' } = process.env
  const own = named.startsWith('/') ? named : join(homedir(), '.cache')
  return [join(dirname(script), 'cache'), join(own, 'lockstep')]
}

/**
 * Returns true if a folder exists or could be created in an existing one. Node must not create several levels: on a
 * file system that cannot create folders it would retry forever.
 */
function isThere(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}

function enable(folder: string): boolean {
  const { status } = enableCompileCache(folder)
  return status === constants.compileCacheStatus.ENABLED
}

/**
 * Caches the compiled code of a bundled script between runs, for this thread and the threads it starts. Does nothing
 * without a writable folder. Sources are not cached, because they change.
 *
 * @param url `import.meta.url` of the script that is run
 */
export function keepCompiledCode(url: string): void {
  const script = fileURLToPath(url)
  if (!script.endsWith('.js') || process.env.NODE_COMPILE_CACHE !== undefined) return
  const kept = cacheFolders(script).find((folder) => isThere(folder) && enable(folder))
  // Threads inherit it through the environment.
  if (kept !== undefined) process.env.NODE_COMPILE_CACHE = kept
}

/** Makes a running process write its compiled code soon. Node writes it only at exit, which a kill skips. */
export function writeCompiledCode(): void {
  if (process.env.NODE_COMPILE_CACHE === undefined) return
  startTimer(() => flushCompileCache(), WRITE_MS).unref()
}
