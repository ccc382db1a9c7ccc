import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT } from '../../../tools/bootstrap.mjs'

it('assembly/natural/generated holds what tools/generate-natural.ts writes', () => {
  const run = ['tools/generate-natural.ts', '--check']
  const { status, stderr } = spawnSync(process.execPath, run, { cwd: ROOT, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
