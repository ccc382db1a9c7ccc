import { inspectConfig } from '../../base/config/load.ts'
import { ERRORS } from '../../base/error-table.ts'
import { FAILURES } from '../../base/failure-table.ts'
import type { Home } from '../home/home.ts'
import { lockHome } from '../home/home-lock.ts'
import { verifyHome } from '../offline/verify-home.ts'
import { thrownFinding } from './check-home.ts'
import { type Finding, fault, warning } from './finding.ts'

/** Locks a stopped home and compares every row with its checksum. */
export async function checkRows(
  home: Home,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let lock: { release(): void }
  try {
    lock = lockHome(home)
  } catch {
    const what =
      'the rows of the stores were not read: the node is using them, or the home is not writable'
    return [warning('store', what, `stop the node first (${ERRORS.HOME_LOCKED.remedy})`)]
  }
  try {
    const sources = { directory: home.config.directory, environment, flags: new Map() }
    const { text, remedy } = FAILURES.DATABASE_CORRUPTED
    await verifyHome(home, inspectConfig(sources).config, (part) => {
      for (const finding of part.findings) {
        const what = finding.includes(text) ? finding : `${text}: ${finding}`
        findings.push(fault('store', `${part.path}: ${what}`, remedy))
      }
    })
  } catch (thrown) {
    findings.push(thrownFinding('store', thrown))
  } finally {
    lock.release()
  }
  return findings
}
