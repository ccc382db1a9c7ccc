import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test.each(['curves', 'bls12-381', 'natural', 'u256', 'tables', 'contracts'])(
  'the file that tools/generate-%s.ts writes is up to date',
  (name) => {
    const generator = fileURLToPath(new URL(`../../../tools/generate-${name}.ts`, import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  },
)
