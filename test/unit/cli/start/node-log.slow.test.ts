import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { filesPutAside } from '../../../../host/base/log/log-file.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../../../support/node/daemon.ts'
import { reachHeight } from '../../../support/node/progress.ts'
import { until } from '../../../support/until.ts'

let home: string
let path: string
beforeEach(() => {
  home = makeHome()
  path = join(home, 'logs/lockstep.log')
})
afterEach(() => removeHome(home))

const FAST = ['--consensus.block-time', '20ms']
const text = (file: string) => readFileSync(file, 'utf8')

test('the complete log is on stderr and in the files of the home, across rotations and a rename', async () => {
  const rotated = ['--log-level', 'debug', '--log-max-bytes', '1500', '--log-max-files', '0']
  const daemon = await startDaemon({ home, arguments: [...FAST, ...rotated] })
  const renamed = `${path}.1`
  try {
    await reachHeight(daemon.ready.rpc, 30)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    renameSync(path, renamed)
    daemon.process.kill('SIGUSR1')
    await until(() => existsSync(path))
  } finally {
    expect(await daemon.stop()).toBe(0)
  }
  const aside = filesPutAside(path)
  expect(aside.length).toBeGreaterThan(1)
  const before = aside.filter((each) => statSync(each).mtimeMs <= statSync(renamed).mtimeMs)
  const after = aside.filter((each) => !before.includes(each))
  const lines = (files: readonly string[]) => files.flatMap((file) => text(file).split('\n'))
  const kept = lines([...before, renamed, ...after, path]).filter((line) => line !== '')
  const isRecord = /^\d{4}-\d\d-\d\dT[\d:.]+Z [A-Z]{3} /
  const shown = daemon.output().split('\n')
  expect(kept.toSorted()).toEqual(shown.filter((line) => isRecord.test(line)).toSorted())
  expect(kept[0]).toMatch(/ INF starting version=\S+ node=v\S+ pid=\d+ home=/)
  expect(kept.at(-1)).toMatch(/ INF stopped$/)
  expect(daemon.output()).not.toContain('Debugger listening')
})

test('a node runs although its log cannot be written anywhere', async () => {
  mkdirSync(join(home, 'logs'))
  symlinkSync('/dev/full', path)
  const before = ['sh', '-c', 'exec "$0" "$@" 2>/dev/full']
  const daemon = await startDaemon({ home, before, arguments: [...FAST, '--log-level', 'debug'] })
  try {
    await reachHeight(daemon.ready.rpc, 10)
  } finally {
    expect(await daemon.stop()).toBe(0)
  }
})

test('a log file that cannot be written is reported on stderr once', async () => {
  mkdirSync(path, { recursive: true })
  const daemon = await startDaemon({ home, arguments: [...FAST, '--log-level', 'debug'] })
  try {
    await reachHeight(daemon.ready.rpc, 10)
  } finally {
    expect(await daemon.stop()).toBe(0)
  }
  const told = daemon.output().match(/the log file cannot be written.*/g)
  expect(told).toEqual([
    expect.stringMatching(/: lines go only to stderr path=.+lockstep\.log.* reason="EISDIR: /),
  ])
})

test('the error that ends a node is written to the log file with its stack', async () => {
  await runCommand(['init', '--chain-id', 'dev', '--home', home])
  const taken = ['--rpc.laddr', '127.0.0.1:0', '--evm.http-address', '192.0.2.1']
  const { code, stderr } = await runCommand(['start', '--home', home, ...taken])
  expect(code).toBe(64)
  expect(stderr).toContain('Error: cannot listen on 192.0.2.1:8545')
  expect(text(path)).toMatch(
    / ERR the node ends error="cannot listen on 192.*LockstepError.*\\n +at /,
  )
  expect(stderr).not.toContain('the node ends')
})

test('an empty file name disables the log file', async () => {
  const daemon = await startDaemon({ home, arguments: ['--log-file', ''] })
  expect(await daemon.stop()).toBe(0)
  expect(existsSync(join(home, 'logs'))).toBe(false)
})
