import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of a tick of the system's clock of threads, as Linux has it. */
const TICK_MS = 10

/** Milliseconds of a processor. */
export interface ProcessorTime {
  /** By its first thread: of a node of this project, that of the chain. */
  readonly firstThread: number
  /** By all threads, and those of the processes that it started. */
  readonly all: number
}

function threadMs(path: string): number {
  const stat = readFileSync(path, 'utf8')
  // Behind the name, which may have spaces: user and system time are fields 14 and 15 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

/** What a process and those that it started have had so far; undefined where the system does not say. */
export function processorTime(pid: number): ProcessorTime | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const own = threads.map((thread) => threadMs(`/proc/${pid}/task/${thread}/stat`))
    const others = childrenOf(pid).map((child) => processorTime(child)?.all ?? 0)
    return {
      firstThread: threadMs(`/proc/${pid}/task/${pid}/stat`),
      all: [...own, ...others].reduce((sum, ms) => sum + ms, 0),
    }
  } catch {
    return undefined
  }
}
