import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect } from 'vitest'

// Before each file of tests: gives it a temporary folder, which must be empty once its own hooks have run.

const name = basename(expect.getState().testPath ?? 'file', '.test.ts')
const folder = mkdtempSync(join(tmpdir(), `${name}-`))
process.env.TMPDIR = folder

afterAll(() => {
  expect(readdirSync(folder), 'left in the temporary folder').toEqual([])
})
