import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diagnose } from '../../../../host/node/diagnosis/diagnose.ts'
import type { Finding } from '../../../../host/node/diagnosis/finding.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { LmdbEnv } from '../../../../host/storage/store/lmdb/lmdb-env.ts'
import { serveHttp } from '../../../support/http-server.ts'
import { runCommandHere } from '../../../support/node/command-here.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { reachHeight } from '../../../support/node/progress.ts'

let home: string
beforeAll(async () => {
  home = makeHome()
  await initializeValidator(home)
  const daemon = await startDaemon({
    home,
    dev: false,
    arguments: ['--consensus.block-time', '10ms'],
  })
  await reachHeight(daemon.ready.rpc, 40)
  await daemon.stop()
})
afterAll(() => removeHome(home))

interface Seen {
  readonly code: number | string
  readonly findings: readonly Finding[]
}

const VARIABLES = { LOCKSTEP_EVM_HTTP_PORT: '0', LOCKSTEP_RPC_LADDR: 'tcp://127.0.0.1:0' }

/** Runs the command in its own process. */
async function runDoctor(...args: readonly string[]): Promise<Seen> {
  const command = ['doctor', '--home', home, '--json', ...args]
  const { code, stdout } = await runCommand(command, VARIABLES)
  return { code, findings: JSON.parse(stdout).findings }
}

/** Runs the command in this process. */
async function runDoctorHere(...args: readonly string[]): Promise<Seen> {
  const command = ['doctor', '--home', home, '--json', ...args]
  const { code, stdout } = await runCommandHere(command, VARIABLES)
  return { code, findings: JSON.parse(stdout).findings }
}

/** Returns the findings and the exit code of `diagnose`, which the command calls. */
async function doctor(...logs: readonly string[]): Promise<Seen> {
  const { findings } = await diagnose({
    home: homeAt(home),
    environment: VARIABLES,
    logs,
    consensus: undefined,
    deep: undefined,
  })
  return { code: findings.some(({ severity }) => severity === 'fault') ? 1 : 0, findings }
}

/** Returns what the doctor reports while a file is changed, and restores the file. */
async function whileHarmed(path: string, harm: () => void, ...logs: string[]): Promise<Seen> {
  const before = readFileSync(path)
  harm()
  try {
    return await doctor(...logs)
  } finally {
    rmSync(path, { force: true })
    writeFileSync(path, before, { mode: 0o600 })
  }
}

/** Returns the bytes of every file in the home, by path. */
function contents(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    found.set(path, readFileSync(path, 'base64'))
  }
  return found
}

describe('doctor on a stopped home', () => {
  test('finds no fault in a healthy home and changes no byte of it', async () => {
    const before = contents(home)
    expect(await runDoctor()).toEqual({ code: 0, findings: [] })
    expect(contents(home)).toEqual(before)
    expect((await runDoctor('--deep')).code).toBe(0)
    const { stdout } = await runCommand(['doctor', '--home', home], {
      LOCKSTEP_RPC_LADDR: 'tcp://127.0.0.1:0',
    })
    expect(stdout).toContain(`no fault found in ${home}\n`)
  })

  test('lists the faults, most likely cause first, whatever else is broken', async () => {
    const app = join(home, 'config/app.toml')
    const key = join(home, 'config/priv_validator_key.json')
    const log = join(home, 'peers.log')
    writeFileSync(
      log,
      'ERR peer handshake failed err=EOF\nERR wrong Block.Header.AppHash. Expected 5D, got 9A\n',
    )
    writeFileSync(join(home, 'data/snapshot-import.json'), '{}')
    try {
      const { code, findings } = await whileHarmed(
        app,
        () => {
          writeFileSync(app, '[evm\nhttp_port = 1\n')
          chmodSync(key, 0o644)
        },
        log,
      )
      expect(code).toBe(1)
      expect(findings.map(({ subject }) => subject)).toEqual([
        'files',
        'leftovers',
        'configuration',
        'app hash',
        'peers',
      ])
      expect(findings[0]).toEqual({
        subject: 'files',
        severity: 'fault',
        what: `permissions 0644 for ${key} are too open: others can read the key`,
        remedy: `\`chmod 600 '${key}'\``,
      })
      expect(findings[2]?.what).toMatch(/app\.toml:1: Invalid TOML document/)
    } finally {
      chmodSync(key, 0o600)
      for (const path of [log, join(home, 'data/snapshot-import.json')]) rmSync(path)
    }
  })

  test.each([
    ['data/rollback.json', '{"target": 1}', '`lockstep rollback`'],
    ['migrate-split-store/migration.json', '{"done": "saved"}', '`lockstep migrate split-store`'],
  ])('finds an interrupted operation from %s', async (name, text, command) => {
    const path = join(home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    try {
      const { code, findings } = await doctor()
      expect(code).toBe(1)
      expect(findings).toContainEqual({
        subject: 'leftovers',
        severity: 'fault',
        what: expect.stringMatching(/ is not finished/),
        remedy: `run ${command} again: it continues`,
      })
    } finally {
      rmSync(name.startsWith('data/') ? path : dirname(path), { recursive: true })
    }
  })

  test('finds an unknown key in config.toml', async () => {
    const path = join(home, 'config/config.toml')
    const { code, findings } = await whileHarmed(path, () => appendFileSync(path, 'lad = 1\n'))
    expect(code).toBe(1)
    expect(findings.map(({ what }) => what)).toEqual([
      expect.stringMatching(/config\.toml:\d+: unknown key \[instrumentation\] lad$/),
    ])
  })

  test('finds a missing validator key', async () => {
    const key = join(home, 'config/priv_validator_key.json')
    const config = join(home, 'config/config.toml')
    const before = readFileSync(config)
    writeFileSync(config, 'mode = "validator"\n')
    try {
      const { findings } = await whileHarmed(key, () => rmSync(key))
      expect(findings.map(({ what }) => what)).toEqual([`Private validator file not found: ${key}`])
    } finally {
      writeFileSync(config, before)
    }
  })

  test('finds a signing state that is older than the blocks', async () => {
    const state = join(home, 'data/priv_validator_state.json')
    const { findings } = await whileHarmed(state, () =>
      writeFileSync(state, '{"height":"3","round":0,"step":3}\n'),
    )
    expect(findings[0]?.subject).toBe('signing')
    expect(findings[0]?.severity).toBe('fault')
  })

  test.each(['chain.db', 'committer.db', 'blockstore.db', 'tx_index.db'])(
    'finds a damaged %s',
    async (name) => {
      const data = join(home, 'data', name, 'data.mdb')
      const { code, findings } = await whileHarmed(data, () => {
        const bytes = readFileSync(data)
        bytes.fill(0xff, 0, 8192)
        writeFileSync(data, bytes)
      })
      expect(code).toBe(1)
      expect(findings[0]).toMatchObject({ subject: 'store', severity: 'fault' })
      expect(findings[0]?.what).toMatch(/^Database is corrupted: /)
      expect(findings[0]?.what).toContain(name)
    },
  )

  test('finds an app hash that differs from the one in the blocks', async () => {
    const data = join(home, 'data/committer.db/data.mdb')
    const before = readFileSync(data)
    const env = new LmdbEnv(join(home, 'data/committer.db'))
    env.write(() => env.table('markers').put(Buffer.from('app_hash'), new Uint8Array(32).fill(7)))
    await env.close()
    const { code, findings } = await doctor()
    writeFileSync(data, before)
    expect(code).toBe(1)
    expect(findings.map(({ subject }) => subject)).toEqual(['app hash'])
    expect(findings[0]?.what).toMatch(
      /^wrong Block\.Header\.AppHash\. Expected (07){32}, got [0-9A-F]{64} \(height \d+\)$/,
    )
  })

  test('finds a split that is on without the EVM store', async () => {
    const app = join(home, 'config/app.toml')
    const { findings } = await whileHarmed(app, () =>
      writeFileSync(app, '[state-store]\nevm-ss-split = true\n'),
    )
    expect(findings).toEqual([
      {
        subject: 'split',
        severity: 'fault',
        what:
          `EVM SS directory "${join(home, 'data/evm_ss')}" does not exist but Cosmos SS already has history; ` +
          'state sync before enabling evm-ss-split, or set evm-ss-split=false',
        remedy: 'complete a state sync, or set evm-ss-split = false and restart',
      },
    ])
  })

  test('finds a genesis.json that is not the one of the chain', async () => {
    const path = join(home, 'config/genesis.json')
    const { findings } = await whileHarmed(path, () =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('"Prague"', '"Osaka"')),
    )
    expect(findings.map(({ subject, what }) => [subject, what])).toEqual([
      ['genesis', expect.stringMatching(/app_state\.evm\.revision was "Prague" and is "Osaka"$/)],
    ])
  })

  test('finds a clock that is behind the blocks', async () => {
    // Without blocks the clock is compared with the genesis.
    const fresh = makeHome()
    try {
      await runCommandHere(['init', '--chain-id', '1329', '--home', fresh])
      const path = join(fresh, 'config/genesis.json')
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(/"genesis_time": "\d{4}/, '"genesis_time": "2126'),
      )
      const { stdout } = await runCommandHere(['doctor', '--home', fresh, '--json'])
      expect(JSON.parse(stdout).findings[0]).toMatchObject({ subject: 'clock', severity: 'fault' })
    } finally {
      removeHome(fresh)
    }
  })

  test('finds a port that another process uses', async () => {
    const { port, close } = await serveHttp()
    const { code, stdout } = await runCommandHere(['doctor', '--home', home, '--json'], {
      LOCKSTEP_EVM_HTTP_PORT: `${port}`,
      LOCKSTEP_RPC_LADDR: 'tcp://127.0.0.1:0',
    })
    await close()
    expect(code).toBe(1)
    expect(JSON.parse(stdout).findings).toEqual([
      {
        subject: 'process',
        severity: 'fault',
        what: `another process listens on 127.0.0.1:${port} (evm.http-port)`,
        remedy: `end that process (\`ss -ltnp 'sport = :${port}'\` names it), or start with another --evm.http-port`,
      },
    ])
  })

  test('reads a log from a pipe', async () => {
    const { code, stdout } = await runCommand(
      ['doctor', '--home', home, '--log', '-', '--json'],
      { LOCKSTEP_EVM_HTTP_PORT: '0', LOCKSTEP_RPC_LADDR: 'tcp://127.0.0.1:0' },
      'Nov 20 12:00:00 host seid[4]: ERR No peers available\n',
    )
    expect(code).toBe(1)
    expect(JSON.parse(stdout).findings).toMatchObject([
      {
        subject: 'peers',
        what: expect.stringMatching(
          /^No peers available: .*\(standard input, line 1: Nov 20 12:00:00 host/,
        ),
      },
    ])
  })
})

test('reports faults for a home of which nothing can be read', async () => {
  const broken = makeHome()
  try {
    for (const name of ['config', 'data']) writeFileSync(join(broken, name), 'a file')
    const { code, stdout } = await runCommandHere(['doctor', '--home', broken, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).findings.length).toBeGreaterThan(0)
  } finally {
    removeHome(broken)
  }
})

test('doctor finds no fault in a home under --dev, which keeps no signing state', async () => {
  const folder = makeHome()
  const daemon = await startDaemon({ home: folder, arguments: ['--consensus.block-time', '10ms'] })
  await reachHeight(daemon.ready.rpc, 3)
  await daemon.stop()
  const command = ['doctor', '--home', folder, '--json']
  const { stdout } = await runCommandHere(command, VARIABLES)
  expect(JSON.parse(stdout).findings).toEqual([])
  removeHome(folder)
})

describe('doctor on a running node', () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon({
      home,
      dev: false,
      arguments: ['--consensus.block-time', '10ms'],
    })
    await reachHeight(daemon.ready.rpc, 60)
  })
  afterAll(() => daemon.stop())

  test('finds no fault, and the node keeps running', async () => {
    for (let i = 0; i < 3; i++) expect(await runDoctorHere()).toEqual({ code: 0, findings: [] })
    await reachHeight(daemon.ready.rpc, 80)
  })

  test('does not read the stores row by row', async () => {
    const { code, findings } = await runDoctorHere('--deep')
    expect(code).toBe(0)
    expect(findings).toMatchObject([{ subject: 'store', severity: 'warning' }])
  })
})
