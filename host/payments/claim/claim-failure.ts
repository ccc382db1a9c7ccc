import { type ErrorCode, LockstepError } from '../../base/error.ts'

/** What mends the disk of claims: nothing of a chain brings them back, and nothing is served without them. */
const REMEDIES: Partial<Record<ErrorCode, (folder: string) => string>> = {
  STORE_FULL: () =>
    'free disk space: what is paid for is served again as soon as there is room, without a restart',
  STORE_DENIED: (folder) =>
    `make ${folder} and all in it readable and writable by the user that runs the server`,
  STORE_CORRUPTED: (folder) =>
    `restore ${folder} from a backup and start again; or move it away, which begins a new ledger: wait for the ` +
    'proof-lifetime (1 hour by default) first, since payments that are younger could be shown a second time',
}

/** An error of the disk, with what mends it here; any other as it is. */
export function claimFailure(folder: string, thrown: unknown): unknown {
  if (!(thrown instanceof LockstepError)) return thrown
  const { code, message, data } = thrown
  const remedy = REMEDIES[code]
  if (remedy === undefined) return thrown
  return new LockstepError(code, message, { data, hint: remedy(folder), cause: thrown })
}
