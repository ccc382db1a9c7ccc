import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const CHECK = fileURLToPath(new URL('../../../tools/check-folders.ts', import.meta.url))

/** Checks a tree of these files, of which git tracks some. */
function check(
  files: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  kept: readonly string[] = [],
): { stdout: string; lines: string[]; code: number | null } {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-folders-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  if (kept.length > 0) {
    execFileSync('git', ['-C', root, 'init', '--quiet'])
    execFileSync('git', ['-C', root, 'add', ...kept])
  }
  const { stdout, stderr, status } = spawnSync(process.execPath, [CHECK, root, ...flags], {
    encoding: 'utf8',
  })
  return { stdout, lines: stderr.split('\n').filter((line) => line !== ''), code: status }
}

test('the table has a row for each folder: its files, their median and their largest size', () => {
  const files = {
    'host/a.ts': 'a'.repeat(100),
    'host/b.ts': 'b'.repeat(300),
    'host/c.ts': 'c'.repeat(200),
    'test/unit/d.ts': 'd'.repeat(10),
    'test/unit/e.ts': 'e'.repeat(20),
  }
  expect(check(files)).toEqual({
    stdout:
      ' files  median bytes  largest bytes  folder\n' +
      '     3           200            300  host (b.ts)\n' +
      '     2            15             20  test/unit (e.ts)\n',
    lines: [],
    code: 0,
  })
})

test('a file may have at most 25 kB, except generated files, lock files and installed packages', () => {
  const large = '/'.repeat(25_001)
  const files = {
    'assembly/curve/generated/field.ts': large,
    'bench/peers/node_modules/peer/index.ts': large,
    'bench/peers/package-lock.json': large,
    'host/api/rpc/eth.ts': large,
    'host/api/rpc/debug.ts': large.slice(1),
  }
  expect(check(files, ['--quiet'])).toEqual({
    stdout: '',
    lines: ['host/api/rpc/eth.ts: 25001 bytes: a file may have at most 25000; split it by purpose'],
    code: 1,
  })
})

test.each([
  ['host', '.ts'],
  ['test', '.ts'],
  // AssemblyScript imports have no extension.
  ['assembly', ''],
])('files of %s do not import each other in a cycle', (folder, ending) => {
  const files = {
    [`${folder}/a.ts`]: `import './b${ending}'\n`,
    [`${folder}/b.ts`]: `import { c } from './c${ending}'\n`,
    [`${folder}/c.ts`]: `export * from './a${ending}'\n`,
  }
  expect(check(files, ['--quiet'])).toEqual({
    stdout: '',
    lines: [
      `${folder}/a.ts: imports itself through ${folder}/b.ts, ${folder}/c.ts, ${folder}/a.ts`,
    ],
    code: 1,
  })
})

test('git tracks only the known files and folders at the top level', () => {
  const files = {
    '.editorconfig': 'root = true\n',
    'README.md': '# It\n',
    'host/a.ts': 'a',
    'isolate-0x20f2d000-3530-v8.log': 'tick',
    'notes/today.md': 'x',
    'script.js': 'made by one who tries something',
  }
  const kept = Object.keys(files).filter((path) => path !== 'script.js')
  const { lines, code } = check(files, ['--quiet'], kept)
  expect(lines.sort()).toEqual(
    ['isolate-0x20f2d000-3530-v8.log', 'notes'].map(
      (name) => `${name}: does not belong at the top level; move it below a folder, or delete it`,
    ),
  )
  expect(code).toBe(1)
})
