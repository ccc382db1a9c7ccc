import { mkdirSync } from 'node:fs'
import { constants, enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startTimer } from '../timer.ts'

/** Milliseconds after which a process that goes on writes its compiled code: others have its time first. */
const WRITE_MS = 2_000

/**
 * Folders that V8's compiled code may be kept in, the best first. Whoever may write beside the code may change the
 * code as well; anyone else's cache is his own, since V8 runs what it finds there.
 */
function cacheFolders(script: string): readonly string[] {
  const { XDG_CACHE_HOME: named = '' } = process.env
  const own = named.startsWith('/') ? named : join(homedir(), '.cache')
  return [join(dirname(script), 'cache'), join(own, 'lockstep')]
}

/**
 * True if a folder is there, or could be made in a folder that is there. Node is not left to make several: on a file
 * system that makes none it would try without end.
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
 * Keeps compiled code between runs of a bundled script, in this thread and those that it starts. Without a folder that
 * can be written nothing is kept. Sources compile each time, as they change.
 *
 * @param url `import.meta.url` of the script that is run
 */
export function keepCompiledCode(url: string): void {
  const script = fileURLToPath(url)
  if (!script.endsWith('.js') || process.env.NODE_COMPILE_CACHE !== undefined) return
  const kept = cacheFolders(script).find((folder) => isThere(folder) && enable(folder))
  // Threads have it from the environment
  if (kept !== undefined) process.env.NODE_COMPILE_CACHE = kept
}

/** Has a process that goes on write its compiled code soon: Node writes it at its end alone, which a kill leaves out. */
export function writeCompiledCode(): void {
  if (process.env.NODE_COMPILE_CACHE === undefined) return
  startTimer(() => flushCompileCache(), WRITE_MS).unref()
}
