import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds per tick of Linux's thread clock. */
const TICK_MS = 10

/** CPU milliseconds. */
export interface ProcessorTime {
  /** Of its first thread; in a node of this project, the main thread. */
  readonly firstThread: number
  /** Of all threads, including those of child processes. */
  readonly all: number
}

function threadMs(path: string): number {
  const stat = readFileSync(path, 'utf8')
  // The name may contain spaces, so parse after it: user and system time are fields 14 and 15 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

/** Returns the CPU time of a process and its children so far, or undefined if the system does not report it. */
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
