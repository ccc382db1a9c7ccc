import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const CHECK = fileURLToPath(new URL('../../../tools/check-assembly.ts', import.meta.url))

/** Creates a tree whose assembly/ contains one file with this source. */
function treeOf(source: string): { root: string; file: string } {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-assembly-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'assembly'))
  const file = join(root, 'assembly', 'limb.ts')
  writeFileSync(file, source)
  return { root, file }
}

function run(...args: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CHECK, ...args], {
    encoding: 'utf8',
  })
  return { code: status, said: stdout + stderr }
}

const TIDY = `@inline
export function low(word: u64): u32 {
  return word == 0xdfe92f46681b20a0 ? 0 : u32(word)
}
`

test('the linter accepts decorated functions, and integers that are compared and written as 64 bits', () => {
  expect(run(treeOf(TIDY).root)).toEqual({
    code: 0,
    said: expect.stringContaining('Checked 1 file'),
  })
})

test('the linter reports an unused name at its line in assembly/', () => {
  const { root, file } = treeOf(TIDY.replace('{\n', '{\n  const high = word >> 32\n'))
  const { code, said } = run(root)
  expect(code).toBe(1)
  expect(said).toContain('assembly/limb.ts:3:9 lint/correctness/noUnusedVariables')
  expect(readFileSync(file, 'utf8')).toContain('high')
})

test('the formatter refuses unformatted source and keeps decorators in place', () => {
  const { root, file } = treeOf(TIDY.replace('(word: u64)', '( word:u64 )'))
  expect(run(root).code).toBe(1)
  expect(run('--write', root).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(TIDY)
  expect(run(root).code).toBe(0)
})
