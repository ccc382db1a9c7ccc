import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { COMETBFT, WITHOUT_COMETBFT } from '../support/node/cometbft.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { MAIN } from '../support/node/main-file.ts'
import { reachHeight } from '../support/node/progress.ts'
import { startProgram } from '../support/program.ts'
import { until } from '../support/until.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

const HEIGHT = 12
const PLAN = ['--upgrade-plans', `v2@${HEIGHT}`]
const NEXT_RELEASE = fileURLToPath(new URL('../support/node/next-release-main.ts', import.meta.url))

/** Path of a cosmovisor, or undefined if none is configured. */
const COSMOVISOR = process.env.LOCKSTEP_COSMOVISOR || undefined
const WITHOUT_COSMOVISOR =
  COSMOVISOR === undefined ? ': LOCKSTEP_COSMOVISOR names no cosmovisor' : ''

let home: string
let daemons: Daemon[]

beforeEach(() => {
  home = makeHome()
  daemons = []
})

afterEach(() => {
  for (const { process: child } of daemons) child.kill('SIGKILL')
  removeHome(home)
})

async function start(folder: string, args: readonly string[], main?: string): Promise<Daemon> {
  const options = { home: folder, dev: false, arguments: args, ...(main !== undefined && { main }) }
  const daemon = await startDaemon(options)
  daemons.push(daemon)
  return daemon
}

async function stop(daemon: Daemon): Promise<number | string> {
  daemons = daemons.filter((each) => each !== daemon)
  return daemon.stop()
}

function upgradeInfo(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'data/upgrade-info.json'), 'utf8'))
}

async function isWaiting({ ready }: Daemon): Promise<boolean> {
  const response = await fetch(`${ready.rpc}/ready`)
  const { waiting_for: reason = '' } = (await response.json()) as { waiting_for?: string }
  return response.status === 503 && reason.includes('upgrade "v2"')
}

/** What cosmovisor asks for before it replaces the release: `status` of the home. */
async function statusHeight(folder: string): Promise<string> {
  const { stdout } = await runCommand(['status', '--home', folder])
  const { SyncInfo } = JSON.parse(stdout) as { SyncInfo: { latest_block_height: string } }
  return SyncInfo.latest_block_height
}

async function expectWaiting(daemon: Daemon, folder: string): Promise<void> {
  await until(() => isWaiting(daemon))
  expect(upgradeInfo(folder)).toEqual({ name: 'v2', height: HEIGHT, info: '' })
  expect(daemon.output()).toContain(`ERR UPGRADE "v2" NEEDED at height: ${HEIGHT}: `)
  // The block is decided, and the state is that before it.
  expect(await statusHeight(folder)).toBe(String(HEIGHT))
  expect(await call(daemon.ready.rpc, 'eth_blockNumber')).toBe(`0x${(HEIGHT - 1).toString(16)}`)
}

test('the embedded engine waits at an upgrade, again after a kill, and the next release continues', async () => {
  await initializeValidator(home)
  const args = ['--consensus.block-time', '20ms', ...PLAN]
  const first = await start(home, args)
  await expectWaiting(first, home)
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  rmSync(join(home, 'data/upgrade-info.json'))
  const again = await start(home, args)
  await expectWaiting(again, home)
  expect(await stop(again)).toBe(0)

  const next = await start(home, args, NEXT_RELEASE)
  await reachHeight(next.ready.rpc, HEIGHT + 3)
  expect(await stop(next)).toBe(0)
  const { code, stderr } = await runCommand(['start', '--home', home, ...PLAN])
  expect(code).toBe(78)
  expect(stderr).toMatch(
    new RegExp(
      `^Error: this release does not contain upgrade "v2" of height ${HEIGHT}, and the chain is at height \\d+$`,
      'm',
    ),
  )
})

test('a development chain refuses an upgrade plan', async () => {
  const { code, stderr } = await runCommand(['start', '--dev', '--home', home, ...PLAN])
  expect(code).toBe(78)
  expect(stderr).toContain(
    `Error: upgrade v2@${HEIGHT} is planned, but a development chain has no upgrades\n`,
  )
})

describe.skipIf(COMETBFT === undefined)(`validators under CometBFT${WITHOUT_COMETBFT}`, () => {
  let network: TestNetwork
  afterEach(() => network.close())

  test('decide the block of an upgrade, wait, and the next release executes it', async () => {
    network = await makeNetwork({
      validators: 2,
      settings: { 'consensus.block-time': '100ms', 'upgrade-plans': [`v2@${HEIGHT}`] },
    })
    const homes = network.nodes.map((node) => node.home)
    const old = await Promise.all(homes.map((folder) => start(folder, [])))
    for (const [i, daemon] of old.entries()) await expectWaiting(daemon, homes[i] as string)
    expect(await Promise.all(old.map(stop))).toEqual([0, 0])

    // CometBFT has the block, so the old release cannot even start.
    const { code, stderr } = await runCommand(['start', '--home', homes[0] as string])
    expect(code).toBe(78)
    expect(stderr).toContain(`Error: UPGRADE "v2" NEEDED at height: ${HEIGHT}: \n`)

    const next = await Promise.all(homes.map((folder) => start(folder, [], NEXT_RELEASE)))
    await Promise.all(next.map(({ ready }) => reachHeight(ready.rpc, HEIGHT + 3)))
    expect(await Promise.all(next.map(stop))).toEqual([0, 0])
  })
})

describe.skipIf(COSMOVISOR === undefined)(`cosmovisor${WITHOUT_COSMOVISOR}`, () => {
  /** Writes a program of the home that runs the command line of a release. */
  function writeRelease(folder: string, main: string): void {
    const path = join(home, 'cosmovisor', folder, 'bin')
    mkdirSync(path, { recursive: true })
    const program = join(path, 'lockstep')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    chmodSync(program, 0o755)
  }

  test('replaces the release at the height of the plan', async () => {
    await initializeValidator(home)
    writeRelease('genesis', MAIN)
    writeRelease('upgrades/v2', NEXT_RELEASE)
    const readyFile = join(home, 'ready.json')
    const ports = ['--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0']
    const args = ['run', 'start', '--home', home, '--ready-file', readyFile, ...ports]
    const program = startProgram(
      [COSMOVISOR as string, ...args, '--consensus.block-time', '20ms', ...PLAN],
      {
        variables: {
          DAEMON_HOME: home,
          DAEMON_NAME: 'lockstep',
          DAEMON_RESTART_AFTER_UPGRADE: 'true',
          DAEMON_SHUTDOWN_GRACE: '20s',
          DAEMON_POLL_INTERVAL: '100ms',
          UNSAFE_SKIP_BACKUP: 'true',
        },
      },
    )
    try {
      await program.says(() => /UPGRADE "v2" NEEDED/.test(program.output()) || undefined)
      await until(async () => {
        try {
          const { rpc } = JSON.parse(readFileSync(readyFile, 'utf8')) as { rpc: string }
          return Number(await call(rpc, 'eth_blockNumber')) > HEIGHT
        } catch {
          return false
        }
      })
    } finally {
      await program.stop('SIGTERM')
    }
  })
})
