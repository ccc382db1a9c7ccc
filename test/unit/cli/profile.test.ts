import { readFileSync } from 'node:fs'
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
