import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')

const MAKES = 'const folder = mkdtempSync(join(tmpdir(), "left-over-"))'

/** Bodies of test files by name. All run at once: a start of vitest takes seconds. */
const FILES: Readonly<Record<string, string>> = {
  'leaves.test.ts': `test('leaves', () => { ${MAKES} })`,
  'removes.test.ts': `${MAKES}; afterAll(() => rmSync(folder, { recursive: true })); test('removes', () => {})`,
  'skips.test.ts': `${MAKES}; test.skip('skips', () => {})`,
  'late.slow.test.ts': `test('is slow', () => { throw new Error('slow') })`,
  'sums.test.ts': `test('sums', () => {})`,
  'variable.test.ts': `test('sets', () => { process.env.LEFT_BY_TEST = '1' })`,
  'listener.test.ts': `test('listens', () => { process.on('SIGUSR2', () => {}) })`,
  'global.test.ts': `test('replaces', () => { globalThis.fetch = () => {} })`,
  'server.test.ts': `import { createServer } from 'node:net'
    test('serves', () => new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve)))`,
}

let text: string
let code: number | null
let foldersAfter: string[]

/** Runs the files as `npm test` runs those of test/. */
beforeAll(() => {
  // Within the repository, so that packages are found.
  mkdirSync(join(ROOT, 'build/test'), { recursive: true })
  const root = mkdtempSync(join(ROOT, 'build/test/run-'))
  mkdirSync(join(root, 'test'))
  for (const [name, body] of Object.entries(FILES)) {
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
  const ended = spawnSync(process.execPath, [VITEST, ...args, '--project', 'fast'], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  text = ended.stdout + ended.stderr
  code = ended.status
  foldersAfter = readdirSync(tmpdir()).filter((name) => name.startsWith('lockstep test '))
  rmSync(root, { recursive: true, force: true })
})

test('a test file that leaves a folder behind fails, and the folder is named and removed', () => {
  expect(text).toMatch(/FAIL .*leaves\.test\.ts/)
  expect(text).toMatch(/left in the temporary folder: expected \[ 'left-over-/)
  expect(foldersAfter).toEqual([])
})

test.each([
  ['variable', 'variable LEFT_BY_TEST changed'],
  ['listener', '1 more listeners of SIGUSR2'],
  ['global', 'global fetch changed'],
  ['server', '1 more resources TCPServerWrap'],
])(
  'a file that changes global state of the process fails, and the change is named: %s',
  (name, left) => {
    expect(text).toMatch(new RegExp(`FAIL .*${name}\\.test\\.ts`))
    expect(text).toContain(left)
  },
)

test('files that leave nothing behind pass, and slow ones do not run', () => {
  expect(text).not.toMatch(/FAIL .*(sums|removes|skips|late)/)
  expect(text).toMatch(/Test Files +5 failed \| 2 passed \| 1 skipped/)
  expect(code).toBe(1)
})
