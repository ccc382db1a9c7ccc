import { LockstepError } from '../../base/error.ts'
import { openFileLimit } from '../../base/process/open-files.ts'

/** Databases, logs, threads and processes of a node with all services take about 150; the rest is for sockets. */
const LEAST_FILES = 256

/** @throws CONFIG_INVALID if the limit is too low for the start or the first clients */
export function refuseFewOpenFiles(limit = openFileLimit('self')): void {
  if (limit === undefined || limit >= LEAST_FILES) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `the limit of open files is ${limit}: a node needs at least ${LEAST_FILES}`,
    {
      hint: 'run `ulimit -n 65536` in the shell that starts the node, or write LimitNOFILE=65536 in its systemd unit',
    },
  )
}
