import { LockstepError } from '../base/error.ts'

/** @throws UNSUPPORTED if a release of Node is older than the range `>=<major>.<minor>` */
export function checkNodeVersion(release: string, range: string): void {
  const [leastMajor = 0, leastMinor = 0] = range.replace('>=', '').split('.').map(Number)
  const [major = 0, minor = 0] = release.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return
  throw new LockstepError(
    'UNSUPPORTED',
    `Node ${release} is too old: lockstep needs ${leastMajor}.${leastMinor} or later`,
    { hint: 'install a newer Node.js: https://nodejs.org/en/download' },
  )
}
