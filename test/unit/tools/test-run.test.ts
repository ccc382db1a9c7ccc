import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')

/** Runs test files as `npm test` runs those of test/. Returns the output and the exit code. */
function run(files: Readonly<Record<string, string>>): { text: string; code: number | null } {
  // Within the repository, so that packages are found.
  mkdirSync(join(ROOT, 'build/test'), { recursive: true })
  const root = mkdtempSync(join(ROOT, 'build/test/run-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'test'))
  for (const [name, body] of Object.entries(files)) {
    const source = `
      import { mkdtempSync, rmSync } from 'node:fs'
      import { tmpdir } from 'node:os'
      import { join } from 'node:path'
      import { afterAll, test } from 'vitest'
      ${body}
    `
    writeFileSync(join(root, 'test', name), source)
  }
  const args = ['run', '-c', join(ROOT, 'test/vitest.config.ts'), '--root', root]
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [VITEST, ...args, '--project', 'fast'],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  )
  return { text: stdout + stderr, code: status }
}

const MAKES = 'const folder = mkdtempSync(join(tmpdir(), "left-over-"))'

test('a test file that leaves a folder behind fails, and the folder is named and removed', () => {
  const { text, code } = run({
    'leaves.test.ts': `test('leaves', () => { ${MAKES} })`,
    'removes.test.ts': `${MAKES}; afterAll(() => rmSync(folder, { recursive: true })); test('removes', () => {})`,
    'skips.test.ts': `${MAKES}; test.skip('skips', () => {})`,
    'late.slow.test.ts': `test('is slow', () => { throw new Error('slow') })`,
  })
  expect(code).toBe(1)
  expect(text).toMatch(/FAIL .*leaves\.test\.ts/)
  expect(text).toMatch(/left in the temporary folder: expected \[ 'left-over-/)
  expect(text).toMatch(/Test Files +1 failed \| 1 passed \| 1 skipped/)
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('lockstep test '))).toEqual([])
})

test('test files that leave nothing behind pass', () => {
  const { text, code } = run({ 'sums.test.ts': `test('sums', () => {})` })
  expect(text).toMatch(/Test Files +1 passed/)
  expect(code).toBe(0)
})

test('a file that changes global state of the process fails, and the change is named', () => {
  const { text, code } = run({
    'variable.test.ts': `test('sets', () => { process.env.LEFT_BY_TEST = '1' })`,
    'listener.test.ts': `test('listens', () => { process.on('SIGUSR2', () => {}) })`,
    'global.test.ts': `test('replaces', () => { globalThis.fetch = () => {} })`,
    'server.test.ts': `import { createServer } from 'node:net'
      test('serves', () => new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve)))`,
  })
  expect(code).toBe(1)
  expect(text).toMatch(/Test Files +4 failed/)
  for (const left of [
    'variable LEFT_BY_TEST changed',
    '1 more listeners of SIGUSR2',
    'global fetch changed',
    '1 more resources TCPServerWrap',
  ]) {
    expect(text).toContain(left)
  }
})
