import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAILURES, type FailureName } from '../../host/base/failure-table.ts'
import type { Finding } from '../../host/node/diagnosis/finding.ts'
import { LmdbEnv } from '../../host/storage/store/lmdb/lmdb-env.ts'
import { freePort } from '../support/http-server.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { reachHeight } from '../support/node/progress.ts'
import { until } from '../support/until.ts'

// Causes each failure of the contract's table, checks its text and the doctor's finding, and applies the remedy
// exactly as the message gives it.

const REBUILDING =
  / INF Building the state commit up to the latest block fromHeight=(\d+) height=(\d+) toHeight=(\d+)\n/g

const FAST = ['--consensus.block-time', '10ms']
const VARIABLES = { LOCKSTEP_EVM_HTTP_PORT: '0', LOCKSTEP_RPC_LADDR: 'tcp://127.0.0.1:0' }

const folder = makeHome()
const model = join(folder, 'model')
afterAll(() => removeHome(folder))

/** Makes a chain of at least 40 blocks, with a snapshot. */
beforeAll(async () => {
  mkdirSync(model)
  await initializeValidator(model)
  const daemon = await startDaemon({ home: model, dev: false, arguments: FAST })
  await reachHeight(daemon.ready.rpc, 40)
  await daemon.stop()
  expect((await runCommand(['snapshot', 'export', '--home', model])).code).toBe(0)
})

function copyOf(name: string): string {
  const home = join(folder, name)
  cpSync(model, home, { recursive: true })
  return home
}

/** Starts a node, waits for some blocks, and stops it. */
async function expectRuns(home: string, more: readonly string[] = []): Promise<void> {
  const daemon = await startDaemon({ home, dev: false, arguments: [...FAST, ...more] })
  const { result } = await (await fetch(`${daemon.ready.consensus}/status`)).json()
  await reachHeight(daemon.ready.rpc, Number(result.sync_info.latest_block_height) + 5)
  expect(await daemon.stop()).toBe(0)
}

/** Returns the exit code and output of a start that fails. */
async function failedStart(home: string): Promise<{ code: number | string; stderr: string }> {
  return runCommand(['start', '--home', home, ...FAST], VARIABLES)
}

/** Returns false if the path already exists. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function doctor(home: string): Promise<readonly Finding[]> {
  const { stdout } = await runCommand(['doctor', '--home', home, '--json'], VARIABLES)
  return JSON.parse(stdout).findings
}

/** Expects a message of the contract, up to its variable part, with its remedy in the same message. */
function expectMessage(stderr: string, name: FailureName): void {
  const [fixed = ''] = FAILURES[name].text.split('<')
  const [, message = '', hint = ''] = /Error: (.*)\nHint: (.*)\n$/s.exec(stderr) ?? []
  expect(message).toContain(fixed)
  expect(hint.length).toBeGreaterThan(20)
}

describe('the error "wrong Block.Header.AppHash"', () => {
  async function spoil(home: string): Promise<void> {
    const env = new LmdbEnv(join(home, 'data/committer.db'))
    env.write(() => env.table('markers').put(Buffer.from('app_hash'), new Uint8Array(32).fill(7)))
    await env.close()
  }

  test('is detected before its consequences and repaired by a rollback', async () => {
    const home = copyOf('app-hash')
    await spoil(home)
    const { code, stderr } = await failedStart(home)
    expect(code).toBe(70)
    expectMessage(stderr, 'APP_HASH')
    expect(stderr).toMatch(
      /Expected (07){32}, got [0-9A-F]{64} \(height \d+, block_id [0-9A-F]{64}\)/,
    )
    expect(stderr).toContain('`lockstep rollback`')
    expect((await doctor(home))[0]).toMatchObject({ subject: 'app hash', severity: 'fault' })

    const rolled = await runCommand(['rollback', '--home', home])
    expect(rolled.stderr).not.toContain('Error')
    await expectRuns(home)
    expect(await doctor(home)).toEqual([])
  })

  test('is repaired by restoring a snapshot into a new home', async () => {
    const home = join(folder, 'fresh')
    const snapshots = join(model, 'data/snapshots')
    const imported = await runCommand([
      'snapshot',
      'import',
      join(snapshots, readdirSync(snapshots)[0] ?? ''),
      '--home',
      home,
      '--genesis',
      join(model, 'config/genesis.json'),
    ])
    expect(imported.stderr).not.toContain('Error')
    const daemon = await startDaemon({ home, dev: false })
    await daemon.stop()
  })
})

test('the error "Private validator file not found" ends after the key is restored', async () => {
  const home = copyOf('key')
  const key = join(home, 'config/priv_validator_key.json')
  const config = join(home, 'config/config.toml')
  writeFileSync(config, readFileSync(config, 'utf8').replace(/^mode = .*$/m, 'mode = "validator"'))
  renameSync(key, join(folder, 'safe.json'))
  const { code, stderr } = await failedStart(home)
  expect(code).toBe(78)
  expectMessage(stderr, 'VALIDATOR_FILE')
  expect(stderr).toContain(key)
  expect((await doctor(home)).map(({ subject }) => subject)).toContain('keys')
  renameSync(join(folder, 'safe.json'), key)
  await expectRuns(home)
})

test('the error "Duplicate signature" ends after the latest signing state is restored', async () => {
  const home = copyOf('duplicate')
  const state = join(home, 'data/priv_validator_state.json')
  const newest = readFileSync(state)
  writeFileSync(state, '{"height":"3","round":0,"step":3}\n')
  const { code, stderr } = await failedStart(home)
  expect(code).toBe(70)
  expectMessage(stderr, 'DUPLICATE_SIGNATURE')
  expect((await doctor(home))[0]).toMatchObject({ subject: 'signing', severity: 'fault' })
  writeFileSync(state, newest, { mode: 0o600 })
  await expectRuns(home)
})

test('a node that stopped with "Consensus failure - height halted" runs again after its cause is removed', async () => {
  const home = copyOf('halted')
  const daemon = await startDaemon({ home, dev: false, arguments: FAST })
  const state = join(home, 'data/priv_validator_state.json')
  const exited = new Promise((resolve) => daemon.process.once('exit', resolve))
  // Blocks writes of the signing state: a folder takes the name of its temporary file as soon as that is free.
  await until(() => makeFolder(`${state}.tmp`))
  const code = await exited
  expect(code).not.toBe(0)
  expect(daemon.output()).toMatch(
    /Error: Consensus failure - height halted at \d+: .*\nHint: .+\n$/,
  )
  const findings = await doctor(home)
  expect(findings.map(({ subject }) => subject)).toContain('consensus')
  rmdirSync(`${state}.tmp`)

  const again = await startDaemon({ home, dev: false, arguments: FAST })
  const status = await runCommand(['status', '--home', home])
  expect(status.code).toBe(0)
  await again.stop()
  // The doctor does not report a fault that a later start has overcome.
  expect((await doctor(home)).filter(({ severity }) => severity === 'fault')).toEqual([])
})

describe('the error "Database is corrupted"', () => {
  test.each([
    'data/chain.db/data.mdb',
    'data/committer.db/data.mdb',
    'data/blockstore.db/data.mdb',
  ])(
    'in %s ends after the file is restored from a backup',
    async (name) => {
      const home = copyOf(`corrupted-${name.split('/')[1]}`)
      const path = join(home, name)
      const sound = readFileSync(path)
      const bytes = Buffer.from(sound)
      bytes.fill(0xff, 0, 8192)
      writeFileSync(path, bytes)
      const { code, stderr } = await failedStart(home)
      expect(code).toBe(74)
      expectMessage(stderr, 'DATABASE_CORRUPTED')
      expect((await doctor(home))[0]).toMatchObject({ subject: 'store', severity: 'fault' })
      writeFileSync(path, sound)
      await expectRuns(home)
    },
    120_000,
  )

  test('suggests a reset, which keeps the validator key', async () => {
    const home = copyOf('reset')
    writeFileSync(join(home, 'data/chain.db/data.mdb'), Buffer.alloc(16_384, 1))
    const { stderr } = await failedStart(home)
    expect(stderr).toContain('`lockstep consensus unsafe-reset-all`')
    expect((await runCommand(['consensus', 'unsafe-reset-all', '--home', home])).code).toBe(0)
    expect(existsSync(join(home, 'config/priv_validator_key.json'))).toBe(true)
  })
})

test('the error "failed to initialize database" ends after the process that it names is stopped', async () => {
  const home = copyOf('locked')
  const daemon = await startDaemon({ home, dev: false, arguments: FAST })
  for (const command of ['start', 'rollback']) {
    const { code, stderr } = await runCommand([command, '--home', home], VARIABLES)
    expect(code).toBe(75)
    expectMessage(stderr, 'DATABASE_LOCKED')
    expect(stderr).toContain(`\`kill ${daemon.ready.pid}\``)
  }
  const [, pid = ''] =
    /`kill (\d+)`/.exec((await runCommand(['rollback', '--home', home])).stderr) ?? []
  process.kill(Number(pid))
  await new Promise((resolve) => daemon.process.once('exit', resolve))
  const rolled = await runCommand(['rollback', '--home', home])
  expect(rolled.stderr).not.toContain('Error')
  await expectRuns(home)
})

test('a node that rebuilds its state commit or write-ahead log reports it', async () => {
  const home = copyOf('rebuilt')
  rmSync(join(home, 'data/committer.db'), { recursive: true })
  const daemon = await startDaemon({ home, dev: false, arguments: FAST })
  const steps = [...daemon.output().matchAll(REBUILDING)].map(([, ...heights]) =>
    heights.map(Number),
  )
  const latest = steps[0]?.[2] ?? 0
  expect(latest).toBeGreaterThanOrEqual(40)
  expect(steps[0]).toEqual([0, 0, latest])
  expect(steps.at(-1)).toEqual([0, latest, latest])
  expect(await daemon.stop()).toBe(0)

  rmSync(join(home, 'data/wal'), { recursive: true })
  const again = await startDaemon({ home, dev: false, arguments: FAST })
  expect(again.output()).toMatch(
    / WRN the write-ahead log is missing: a new one starts after the latest block height=\d+\n/,
  )
  expect(await again.stop()).toBe(0)
  await expectRuns(home)
})

describe('a following node', () => {
  let port: number
  let follower: Daemon
  const home = join(folder, 'follower')
  beforeAll(async () => {
    port = await freePort()
    const init = ['init', '--chain-id', 'dev', '--mode', 'full', '--home', home]
    const genesis = join(model, 'config/genesis.json')
    const { code, stderr } = await runCommand([...init, '--genesis', genesis])
    expect([code, stderr.includes('Error') ? stderr : '']).toEqual([0, ''])
    const config = join(home, 'config/config.toml')
    const text = readFileSync(config, 'utf8')
    const servers = `rpc-servers = "http://127.0.0.1:${port}"`
    writeFileSync(config, text.replace(/(\[follow\][\s\S]*?)rpc-servers = ""/, `$1${servers}`))
  })
  afterAll(() => follower?.process.kill('SIGKILL'))

  test('reports "Dial tcp connection refused" and "No peers available", and continues after the other node starts', async () => {
    follower = await startDaemon({ home, dev: false })
    await until(() => follower.output().includes(FAILURES.NO_PEERS.text))
    const output = follower.output()
    expect(output).toContain(FAILURES.DIAL_REFUSED.text)
    expect(output).toContain(FAILURES.NO_PEERS.remedy.slice(0, 20))
    const found = (await doctor(home)).filter(({ subject }) => subject === 'peers')
    // Both messages in its log, and the finding that it still has no peer.
    const { DIAL_REFUSED, NO_PEERS } = FAILURES
    expect(found.map(({ what }) => /^[^:]+?(?=:| at height)/.exec(what)?.[0]).sort()).toEqual(
      [DIAL_REFUSED.text, NO_PEERS.text, NO_PEERS.text].sort(),
    )

    const other = copyOf('followed')
    const validator = await startDaemon({
      home: other,
      dev: false,
      arguments: [...FAST, '--rpc.laddr', `tcp://127.0.0.1:${port}`],
    })
    await reachHeight(follower.ready.rpc, 45)
    // With a block every 10 ms, the follower may be some blocks behind when the doctor asks, which is still a fault.
    await until(async () => (await doctor(home)).every(({ severity }) => severity !== 'fault'))
    await follower.stop()
    await validator.stop()
  })
})

test('the doctor recognises the remaining errors in a log, although this release has no peers to cause them', async () => {
  const names = ['HANDSHAKE_ID', 'NO_PEX_PEERS', 'HANDSHAKE_EOF'] as const
  const log = join(folder, 'peers.log')
  writeFileSync(
    log,
    names.map((name) => `ERR ${FAILURES[name].text.replace('...', 'x')}\n`).join(''),
  )
  const { code, stdout } = await runCommand(
    ['doctor', '--home', model, '--log', log, '--json'],
    VARIABLES,
  )
  expect(code).toBe(1)
  expect(JSON.parse(stdout).findings).toHaveLength(names.length)
  rmSync(log)
})
