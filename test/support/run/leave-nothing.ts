import { mkdtempSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, expect, inject } from 'vitest'
import { until } from '../until.ts'
import { ProcessState, RUN_FOLDER } from './process-state.ts'

// Before each file of tests: gives it a temporary folder, which must be empty once its own hooks have run. Files of the
// fast set run one after another in one process, which must be then as the file found it. One of the slow set has a
// process of its own.

const name = basename(expect.getState().testPath ?? 'file', '.test.ts')
const folder = mkdtempSync(join(RUN_FOLDER, `${name}-`))
process.env.TMPDIR = folder
const before = new ProcessState()

afterAll(async () => {
  const changes = () => (inject('set') === 'fast' ? before.changes() : [])
  // The handle of a process that has ended is closed a turn later.
  await until(() => changes().length === 0, 60_000).catch(() => {})
  const left = changes()
  process.env.TMPDIR = RUN_FOLDER
  expect(readdirSync(folder), 'left in the temporary folder').toEqual([])
  expect(left, 'left in the process, which other files share').toEqual([])
})
