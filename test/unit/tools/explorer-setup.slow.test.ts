import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runIn } from '../../support/package/installed-package.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SHARED = ['node_modules', '.cache']
const LEFT_OUT = [...SHARED, '.git', 'test', 'bench', 'dist']

const folder = mkdtempSync(join(tmpdir(), 'set-up '))
const checkout = join(folder, 'a checkout')
const page = join(checkout, 'build/explorer/index.html')

const run = (...args: string[]) => runIn(checkout, process.execPath, args)
const start = () => run('tools/lockstep.mjs', 'start', '--help')

beforeAll(() => {
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) => !LEFT_OUT.some((name) => path === join(ROOT, name)),
  })
  for (const name of SHARED) symlinkSync(join(ROOT, name), join(checkout, name))
  rmSync(join(checkout, 'build/explorer'), { recursive: true, force: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a node builds the page once, and again if one of its inputs has changed', async () => {
  const first = await start()
  expect({ code: first.code, stderr: first.stderr }).toEqual({
    code: 0,
    stderr: 'lockstep: building the explorer\n',
  })
  expect(existsSync(page)).toBe(true)
  expect((await start()).stderr).toBe('')
  writeFileSync(join(checkout, 'host/explorer/page/new.css'), 'p { margin: 0 }\n')
  expect((await start()).stderr).toBe('lockstep: building the explorer\n')
  // Other commands serve no page.
  writeFileSync(join(checkout, 'host/explorer/page/new.css'), 'p { margin: 1px }\n')
  expect((await run('tools/lockstep.mjs', 'version')).stderr).toBe('')
})

test('a page that cannot be built does not prevent the start of a node, and the tasks that need it fail', async () => {
  rmSync(page)
  writeFileSync(join(checkout, 'host/explorer/page/main.tsx'), 'const = \n')
  const { code, stdout, stderr } = await start()
  expect(code).toBe(0)
  expect(stdout).toContain('--ready-file')
  expect(stderr).toContain(
    'lockstep: building the explorer failed (exit code 1): the node starts without a new one\n',
  )
  expect(existsSync(page)).toBe(false)
  const task = await run('tools/run.mjs', 'explorer')
  expect(task.code).toBe(70)
  expect(task.stderr).toContain('Error: building the explorer failed (exit code 1)\n')
})
