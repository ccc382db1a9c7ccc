import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const POLL_MS = 200

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readOwner(lock) {
  try {
    return JSON.parse(readFileSync(join(lock, 'owner.json'), 'utf8'))
  } catch {
    return undefined
  }
}

/** Renames a folder. Returns false if the target exists or the source is missing. */
function tryRename(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM', 'EACCES'].includes(error.code)) return false
    throw error
  }
}

/**
 * Runs `work` while no other process does. The lock is a folder that appears with its owner in it, by one rename. A
 * dead owner's lock is moved to a name made of its token, which is unique. Of the processes that find it only one
 * succeeds, and none can move a lock taken since.
 */
export async function withSetupLock(cache, onWait, work) {
  mkdirSync(cache, { recursive: true })
  const lock = join(cache, 'setup.lock')
  const claim = mkdtempSync(join(cache, 'claim-'))
  writeFileSync(
    join(claim, 'owner.json'),
    JSON.stringify({ pid: process.pid, token: randomUUID() }),
  )
  let told = false
  while (!tryRename(claim, lock)) {
    const owner = readOwner(lock)
    if (owner !== undefined && !isAlive(owner.pid)) {
      tryRename(lock, join(cache, `dead-${owner.token}`))
      continue
    }
    if (owner !== undefined && !told) {
      onWait(owner.pid)
      told = true
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  try {
    return await work()
  } finally {
    tryRename(lock, claim)
    rmSync(claim, { recursive: true, force: true })
  }
}
