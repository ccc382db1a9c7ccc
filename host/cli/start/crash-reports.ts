import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crashFolder, type Home } from '../../node/home/home.ts'

/** Reports to keep; older ones are deleted. */
const MOST_REPORTS = 10

/**
 * Makes Node write a report into the home when it has to abort, for example out of memory: no JavaScript runs then.
 * Environment variables are left out, because they may hold secrets.
 */
export function keepCrashReports(home: Home): void {
  const folder = crashFolder(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const reports = readdirSync(folder).sort()
  for (const name of reports.slice(0, Math.max(reports.length - MOST_REPORTS, 0))) {
    rmSync(join(folder, name), { force: true })
  }
  Object.assign(process.report, {
    directory: folder,
    reportOnFatalError: true,
    excludeEnv: true,
    excludeNetwork: true,
  })
}
