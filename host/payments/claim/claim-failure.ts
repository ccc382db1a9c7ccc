import { type ErrorCode, LockstepError } from '../../base/error.ts'

/** Remedies for errors of the claims disk. A chain cannot restore claims, and nothing is served without them. */
const REMEDIES: Partial<Record<ErrorCode, (folder: string) => string>> = {
  STORE_FULL: () =>
    'free disk space: paid requests are served again as soon as there is room, without a restart',
  STORE_DENIED: (folder) =>
    `make ${folder} and all in it readable and writable by the user that runs the server`,
  STORE_CORRUPTED: (folder) =>
    `restore ${folder} from a backup and start again; or move it away to begin a new ledger: wait for the ` +
    'proof-lifetime (1 hour by default) first, since younger payments could be used a second time',
}

/** Returns a disk error with its remedy added, or any other error unchanged. */
export function claimFailure(folder: string, thrown: unknown): unknown {
  if (!(thrown instanceof LockstepError)) return thrown
  const { code, message, data } = thrown
  const remedy = REMEDIES[code]
  if (remedy === undefined) return thrown
  return new LockstepError(code, message, { data, hint: remedy(folder), cause: thrown })
}
