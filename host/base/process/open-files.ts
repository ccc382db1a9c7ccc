import { readFileSync } from 'node:fs'

/** Returns the limit of open files of a process, or undefined if the system does not tell. */
export function openFileLimit(pid: number | 'self'): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/limits`, 'utf8')
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1]
    return soft === undefined ? undefined : soft === 'unlimited' ? Infinity : Number(soft)
  } catch {
    return undefined
  }
}
