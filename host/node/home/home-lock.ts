import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { LockstepError, messageOf } from '../../base/error.ts'
import { tryLockFile } from '../../storage/store/sqlite/file-lock.ts'
import { storeError } from '../../storage/table/store-error.ts'
import type { Home } from './home.ts'

/** An exclusive lock of a home. */
export interface HomeLock {
  release(): void
}

/** Returns the id of the process that holds the home; undefined if unknown. */
function readOwner(home: Home): string | undefined {
  try {
    return /^\d+/.exec(readFileSync(home.lockOwner, 'utf8'))?.[0]
  } catch {
    return undefined
  }
}

function inUse(home: Home): LockstepError {
  const pid = readOwner(home)
  const owner = pid === undefined ? 'another process' : `process ${pid}`
  return new LockstepError(
    'HOME_LOCKED',
    `failed to initialize database: resource temporarily unavailable (${home.root} is in use by ${owner})`,
    pid === undefined
      ? {}
      : {
          hint:
            `end process ${pid} (\`kill ${pid}\`; reboot if it stays), or use another --home, ` +
            'and repeat the command',
        },
  )
}

/**
 * Locks the home for this process; creates the folder if it is missing.
 * @throws HOME_LOCKED if another process, or an earlier call in this one, holds it; STORE_DENIED, STORE_FULL
 */
export function lockHome(home: Home): HomeLock {
  try {
    mkdirSync(home.root, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new LockstepError('STORE_DENIED', `cannot create ${home.root}: ${messageOf(cause)}`, {
      hint: 'pass --home with a folder that this user can create and write',
      cause,
    })
  }
  const lock = tryLockFile(home.lock)
  if (lock === undefined) {
    throw inUse(home)
  }
  try {
    // Locking may succeed on a read-only disk.
    writeFileSync(home.lockOwner, `${process.pid}\n`)
  } catch (thrown) {
    lock.release()
    throw storeError(home.lockOwner, thrown)
  }
  return {
    release: () => {
      rmSync(home.lockOwner, { force: true })
      lock.release()
    },
  }
}
