import { mkdtempSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, inject } from 'vitest'
import { ProcessState, RUN_FOLDER } from './process-state.ts'

// Gives each test file a temporary folder, which must be empty after its own hooks have run. Files of the fast set
// run in order in one process, whose state must then be as before. Each file of the slow set has its own process.

const name = basename(expect.getState().testPath ?? 'file', '.test.ts')
const folder = mkdtempSync(join(RUN_FOLDER, `${name}-`))
process.env.TMPDIR = folder
const before = new ProcessState()

/** Handles of ended processes, threads and servers close some event loop turns later. */
const LOOKS = 500
const PAUSE_MS = 10

async function changesThatStay(): Promise<readonly string[]> {
  if (inject('set') !== 'fast') return []
  let changes = before.changes()
  for (let look = 0; changes.length > 0 && look < LOOKS; look++) {
    await delay(PAUSE_MS)
    changes = before.changes()
  }
  return changes
}

afterAll(async () => {
  const changes = await changesThatStay()
  process.env.TMPDIR = RUN_FOLDER
  expect(readdirSync(folder), 'left in the temporary folder').toEqual([])
  expect(changes, 'left in the process, which other files share').toEqual([])
})
