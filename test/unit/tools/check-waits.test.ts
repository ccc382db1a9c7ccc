import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { hastyWaitsIn } from '../../../tools/hasty-waits.ts'

const CHECK = fileURLToPath(new URL('../../../tools/check-waits.ts', import.meta.url))

test.each([
  ["test('x', run, 20_000)", 'test is bounded by 20000 ms'],
  ["test.skipIf(reason)('x', run, 5)", 'test is bounded by 5 ms'],
  ["test.each([1])('x', { timeout: 100 }, run)", 'test is bounded by 100 ms'],
  ['beforeAll(run, 59_999)', 'beforeAll is bounded by 59999 ms'],
  ['await until(() => true, 2_000)', 'until is bounded by 2000 ms'],
  [
    'await expect.poll(run, { interval: 5, timeout: 10_000 }).toBe(1)',
    'expect.poll is bounded by 10000 ms',
  ],
  ['await vi.waitFor(run)', 'vi.waitFor is bounded by a second by default'],
  ['vi.setConfig({ testTimeout: 1_000 })', 'vi.setConfig is bounded by 1000 ms'],
  ['expect(performance.now() - began).toBeLessThan(100)', 'a duration is bounded'],
  [
    '{ const took = performance.now() - began; expect(took).toBeLessThanOrEqual(9) }',
    'a duration is bounded',
  ],
])('the check finds %s', (source, problem) => {
  expect(hastyWaitsIn(`first()\n${source}\n`)).toEqual([{ line: 2, problem }])
})

test.each([
  "test('x', run)",
  "test('x', run, 60_000)",
  "test.each([5])('x', run, KILLS * 1_000)",
  'await until(() => count > 3)',
  'await vi.waitUntil(run, { timeout: 60_000 })',
  'expect(performance.now() - began).toBeGreaterThan(100)',
  "metrics.add('name', { a: 1 }, 2)",
  "// test('x', run, 5)",
])('the check accepts %s', (source) => {
  expect(hastyWaitsIn(source)).toEqual([])
})

test('the check names file, line and remedy', () => {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-waits-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'test/unit'), { recursive: true })
  writeFileSync(join(root, 'test/unit/a.test.ts'), "\ntest('x', run, 5)\n")
  writeFileSync(join(root, 'test/unit/b.test.ts'), "test('x', run)\n")
  const { stderr, status } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' })
  expect([stderr, status]).toEqual([
    'test/unit/a.test.ts:2: test is bounded by 5 ms, which a busy machine breaks: remove the bound, or give it ' +
      '60000 ms or more; instead of a duration assert what happened\n',
    1,
  ])
})
