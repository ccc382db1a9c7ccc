import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Returns the process and all its descendants, by the parents that the system reports. */
function familyOf(root: number): readonly number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // The process has ended meanwhile.
    }
  }
  const family = [root]
  for (const pid of family) {
    for (const [child, parent] of parents) if (parent === pid) family.push(child)
  }
  return family
}

/** Arguments of the processes that run pages in Chromium and Firefox. */
const OF_PAGES = /--type=renderer|-isForBrowser/

/**
 * Returns the memory in megabytes of the pages of browsers started by this process, including workers. A shared
 * memory page counts in proportion.
 */
export function browserMb(): number {
  let kilobytes = 0
  for (const pid of familyOf(process.pid).slice(1)) {
    try {
      if (!OF_PAGES.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) continue
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1])
    } catch {
      // The process has ended meanwhile.
    }
  }
  return kilobytes / 1024
}

/** As `browserMb`, once memory settles: a new browser releases much of its memory soon. */
export async function restingMb(): Promise<number> {
  let before = browserMb()
  for (let i = 0; i < 20; i++) {
    await delay(500)
    const now = browserMb()
    if (Math.abs(now - before) < 1) return now
    before = now
  }
  return before
}
