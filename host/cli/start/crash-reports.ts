import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crashFolder, type Home } from '../../node/home/home.ts'

/** Reports that are kept: the oldest tell of crashes long past. */
const MOST_REPORTS = 10

/**
 * Has Node write a report into the home when it must end the process, as where memory is used up: no code of ours
 * runs then. Variables of the environment are left out: they may hold secrets.
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
