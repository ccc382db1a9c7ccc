import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import { tryLockFile } from '../../consensus/validator/file-lock.ts'
import type { Home } from './home.ts'

/** The exclusive right to a home. */
export interface HomeLock {
  release(): void
}

/** Id of the process that has the home; undefined where it is not known. */
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
 * Takes the home for this process, creating the folder when it is missing.
 * @throws HOME_LOCKED when another process, or an earlier call in this one, has it.
 */
export function lockHome(home: Home): HomeLock {
  mkdirSync(home.root, { recursive: true, mode: 0o700 })
  const lock = tryLockFile(home.lock)
  if (lock === undefined) {
    throw inUse(home)
  }
  writeFileSync(home.lockOwner, `${process.pid}\n`)
  return {
    release: () => {
      rmSync(home.lockOwner, { force: true })
      lock.release()
    },
  }
}
