import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../support/node/daemon.ts'
import { call } from '../../support/node/json-rpc.ts'
import { until } from '../../support/until.ts'

let home: string
let node: Daemon

beforeAll(async () => {
  home = makeHome()
  node = await startDaemon({ home })
}, 90_000)

afterAll(async () => {
  await node.stop()
  removeHome(home)
})

test('a profile of a running node is a file that browsers open, and the node continues', async () => {
  const out = join(home, 'node.cpuprofile')
  const args = ['debug', 'profile', '--home', home, '--seconds', '1', '--out', out]
  expect(await runCommand(args)).toMatchObject({ code: 0, stdout: `${out}\n` })
  const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(readFileSync(out, 'utf8'))
  expect(nodes[0].callFrame.functionName).toBe('(root)')
  expect(samples.length).toBe(timeDeltas.length)
  expect(endTime - startTime).toBeGreaterThan(900_000)
  expect(await call(node.ready.rpc, 'eth_chainId')).toBe('0x7a69')
  const again = await runCommand(args)
  expect(again).toMatchObject({ code: 64, stderr: expect.stringContaining(`${out} exists`) })
})

test('one of many profiles at once is written, and the others are refused without waiting', async () => {
  const files = Array.from({ length: 5 }, (_, i) => join(home, `many-${i}.cpuprofile`))
  const ends = await Promise.all(
    files.map((out) =>
      runCommand(['debug', 'profile', '--home', home, '--seconds', '2', '--out', out]),
    ),
  )
  const refused = ends.filter(({ code }) => code !== 0)
  // A busy machine may start a command after the profile of another one.
  expect(refused.length).toBeLessThan(files.length)
  for (const { code, stderr } of refused) {
    expect(code).toBe(75)
    expect(stderr).toBe(
      `Error: the node of ${home} is recording another profile\nHint: wait until it is written\n`,
    )
  }
  const written = ends.flatMap(({ code, stdout }) => (code === 0 ? [stdout.trim()] : []))
  expect(files.filter((out) => existsSync(out))).toEqual(written)
  expect(existsSync(join(home, 'profile-request.json'))).toBe(false)
})

test.each(['none/node.cpuprofile', 'folder', 'full'])(
  'a profile to %s fails at once, leaves nothing, and the node continues',
  async (name) => {
    mkdirSync(join(home, 'folder.tmp'), { recursive: true })
    // Every write to this device fails as on a full disk.
    if (name === 'full') symlinkSync('/dev/full', join(home, 'full.tmp'))
    const args = ['debug', 'profile', '--home', home, '--seconds', '1']
    const { code, stderr } = await runCommand([...args, '--out', join(home, name)])
    expect(code).not.toBe(0)
    expect(stderr).toContain(`Error: the node wrote no profile to ${join(home, name)}\n`)
    expect(node.output()).toContain('WRN a profile cannot be recorded')
    expect(existsSync(join(home, name))).toBe(false)
    expect(existsSync(join(home, 'profile-request.json'))).toBe(false)
    expect(await call(node.ready.rpc, 'eth_chainId')).toBe('0x7a69')
  },
)

test('a request that is no JSON, and signals without a request, change nothing', async () => {
  writeFileSync(join(home, 'profile-request.json'), '{"seconds":')
  for (let i = 0; i < 20; i++) node.process.kill('SIGUSR2')
  const out = join(home, 'after.cpuprofile')
  await until(() => !existsSync(join(home, 'profile-request.json')))
  const args = ['debug', 'profile', '--home', home, '--seconds', '1', '--out', out]
  expect(await runCommand(args)).toMatchObject({ code: 0, stdout: `${out}\n` })
})

test.each(['0', '601', '1.5', 'long'])('a profile of %s seconds is refused', async (seconds) => {
  const { code, stderr } = await runCommand([
    'debug',
    'profile',
    '--home',
    home,
    '--seconds',
    seconds,
  ])
  expect(code).toBe(64)
  expect(stderr).toContain(`--seconds: "${seconds}" is not a whole number from 1 to 600`)
})

test('without a running node there is no profile', async () => {
  const other = makeHome()
  const { code, stderr } = await runCommand(['debug', 'profile', '--home', other])
  removeHome(other)
  expect(code).not.toBe(0)
  expect(stderr).toContain(other)
})
