import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../support/node/daemon.ts'
import { call, post } from '../../support/node/json-rpc.ts'
import { MAIN } from '../../support/node/main-file.ts'
import { mineDynamicFee, reachHeight } from '../../support/node/progress.ts'
import { until } from '../../support/until.ts'

const BY_HAND = fileURLToPath(new URL('migrate-by-hand.sh', import.meta.url))
const TO = '0x00000000000000000000000000000000000000aa'

const folder = makeHome()
const primaryHome = join(folder, 'primary')
let primary: Daemon

/** Starts a validator that exports snapshots and has a transaction in its chain. */
beforeAll(async () => {
  mkdirSync(primaryHome)
  primary = await startDaemon({
    home: primaryHome,
    arguments: ['--consensus.block-time', '100ms', '--state-sync.snapshot-interval', '20'],
  })
  await mineDynamicFee(primary.ready.rpc, 0, { to: TO, value: 5n })
  const snapshots = join(primaryHome, 'data/snapshots')
  await until(() => existsSync(snapshots))
})
afterAll(async () => {
  await primary.stop()
  removeHome(folder)
})

/** Initializes a full node without the split, and waits until it reaches the height of the primary. */
async function startRpcNode(name: string): Promise<Daemon> {
  const home = join(folder, name)
  const genesis = join(primaryHome, 'config/genesis.json')
  const made = await runCommand([
    ...['init', 'alice', '--chain-id', '31337', '--mode', 'full', '--genesis', genesis],
    ...['--home', home],
  ])
  expect(made).toMatchObject({ code: 0 })
  const daemon = await startDaemon({
    home,
    dev: false,
    arguments: ['--follow.rpc-servers', primary.ready.consensus],
  })
  await reachHeight(daemon.ready.rpc, 3)
  return daemon
}

/** Runs the verification of the contract: three log lines and a trace of the latest block. */
async function expectSplit(home: string): Promise<void> {
  const daemon = await startDaemon({ home, dev: false })
  const { rpc } = daemon.ready
  expect(daemon.output()).toContain('NodeDB SS is enabled backend=pebbledb')
  expect(daemon.output()).toContain(
    'NodeDB EVM StateStore optimization is enabled separateDBs=true',
  )
  expect(daemon.output()).toContain('EVM state store enabled dir=')
  expect(daemon.output()).toContain('state sync: the home has its chain')
  const height = Number(await call(rpc, 'eth_blockNumber', []))
  await reachHeight(rpc, height + 2)
  const trace = await post(rpc, 'debug_traceBlockByNumber', ['latest', {}])
  expect(trace.error).toBeUndefined()
  expect(trace.result).toBeInstanceOf(Array)
  expect(Number(await call(rpc, 'eth_getBalance', [TO, 'latest']))).toBe(5)
  expect(await daemon.stop()).toBe(0)
}

/** Runs a script asynchronously, since this process must notice the end of the node. */
async function runShell(
  script: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | null; readonly stderr: string }> {
  const child = spawn('sh', ['-c', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...variables },
  })
  let stderr = ''
  child.stderr.on('data', (data) => {
    stderr += data
  })
  const [status] = await once(child, 'close')
  return { status, stderr }
}

const filesOf = (home: string) =>
  ['config/priv_validator_key.json', 'config/genesis.json'].map((name) =>
    readFileSync(join(home, name), 'utf8'),
  )

/** Tools that the steps need and this machine lacks. */
const lacking = ['curl', 'jq', 'sed', 'paste'].filter(
  (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
)
const why = lacking.length === 0 ? '' : ` (skipped: no ${lacking.join(', ')} here)`

test.skipIf(lacking.length > 0)(
  `the seven migration steps work as documented if they are typed by hand${why}`,
  async () => {
    const daemon = await startRpcNode('by-hand')
    const home = join(folder, 'by-hand')
    const before = filesOf(home)
    const script = `lockstep() { '${process.execPath}' '${MAIN}' "$@"; }; set -e; . '${BY_HAND}'`
    const exited = once(daemon.process, 'exit')
    const { status, stderr } = await runShell(script, {
      NODE_HOME: home,
      PRIMARY: primary.ready.consensus,
      CHAIN_ID: '31337',
      MONIKER: 'alice',
      SAFE: join(folder, 'safe'),
      NODE_PID: String(daemon.process.pid),
    })
    await exited
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toContain('Kept config/app.toml\n')
    expect(filesOf(home)).toEqual(before)
    await expectSplit(home)
  },
  120_000,
)

test('the single migration command gives the same result', async () => {
  const daemon = await startRpcNode('by-command')
  const home = join(folder, 'by-command')
  const args = ['migrate', 'split-store', '--home', home, '--from', primary.ready.consensus]
  expect((await runCommand(args)).code).toBe(75)
  expect(await daemon.stop()).toBe(0)
  const before = filesOf(home)
  const dry = await runCommand([...args, '--dry-run'])
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\. .*\n7\. run /s) })
  expect((await runCommand(args)).code).toBe(0)
  expect(filesOf(home)).toEqual(before)
  await expectSplit(home)
})
