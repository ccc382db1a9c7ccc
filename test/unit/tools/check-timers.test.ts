import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { bareTimersIn } from '../../../tools/bare-timers.ts'

const CHECK = fileURLToPath(new URL('../../../tools/check-timers.ts', import.meta.url))

test.each([
  ['setTimeout(run, 5)', 'setTimeout'],
  ['const timer = globalThis.setInterval(run, ms)', 'globalThis.setInterval'],
  ['window.setTimeout(run, ms)', 'window.setTimeout'],
  ["import { setTimeout as sleep } from 'node:timers/promises'", 'setTimeout'],
  ["import timers from 'node:timers'", "'node:timers'"],
  ['fetch(url, { signal: AbortSignal.timeout(ms) })', 'AbortSignal.timeout'],
  ['let timer: ReturnType<typeof setTimeout>', 'setTimeout'],
])('the check finds %s', (source, name) => {
  expect(bareTimersIn(`first()\n${source}\n`)).toEqual([{ line: 2, name }])
})

test.each([
  'socket.setTimeout(ms, end)',
  "import { setImmediate as nextTurn } from 'node:timers/promises'",
  '// setTimeout(run, ms)',
  '/**\n * setTimeout\n */',
  "{ setTimeout: 'x' }".replace('setTimeout', "'setTimeout'"),
  'clearTimeout(timer)',
])('the check accepts %s', (source) => {
  expect(bareTimersIn(source)).toEqual([])
})

test('the check names file, line and remedy, and skips the file of the timers', () => {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-timers-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['base', 'api/server'])
    mkdirSync(join(root, 'host', folder), { recursive: true })
  writeFileSync(join(root, 'host/base/timer.ts'), 'setTimeout(run, 5)\n')
  writeFileSync(join(root, 'host/api/server/wait.ts'), 'begin()\nsetTimeout(run, 5)\n')
  const { stderr, status } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' })
  expect([stderr, status]).toEqual([
    'host/api/server/wait.ts:2: setTimeout fires at once above 2^31 - 1 ms: use startTimer, startInterval, delay ' +
      'or timeoutSignal of host/base/timer.ts\n',
    1,
  ])
})
