import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('assembly/natural/generated holds what tools/generate-natural.ts writes', () => {
  const generator = fileURLToPath(new URL('../../../tools/generate-natural.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
