import { LockstepError } from '../../base/error.ts'
import { openFileLimit } from '../../base/process/open-files.ts'

/** Databases, logs, threads and processes of a node that serves everything take some 150; the rest is for sockets. */
const LEAST_FILES = 256

/** @throws CONFIG_INVALID where a node would end amid its start, or with its first clients */
export function refuseFewOpenFiles(limit = openFileLimit('self')): void {
  if (limit === undefined || limit >= LEAST_FILES) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `this process may have ${limit} files open: a node needs at least ${LEAST_FILES}`,
    {
      hint: 'run `ulimit -n 65536` in the shell that starts the node, or write LimitNOFILE=65536 in its systemd unit',
    },
  )
}
