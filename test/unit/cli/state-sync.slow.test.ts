import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SnapshotMetadata, sealMetadata } from '../../../host/chain/snapshot/metadata.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../support/node/daemon.ts'
import { makeFollowerHome } from '../../support/node/follower-home.ts'
import { call } from '../../support/node/json-rpc.ts'
import { lieAbout } from '../../support/node/lying-server.ts'
import { MAIN } from '../../support/node/main-file.ts'
import { mineDynamicFee, reachHeight } from '../../support/node/progress.ts'
import { until } from '../../support/until.ts'

const FREE_PORTS = ['--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0']
const TO = '0x00000000000000000000000000000000000000aa'
const TRUST_HEIGHT = 3

const folder = makeHome()
const validatorHome = join(folder, 'validator')
let validator: Daemon
let trustHash: string

async function route<Result>(base: string, path: string): Promise<Result> {
  const { result } = (await (await fetch(`${base}/${path}`)).json()) as { result: Result }
  return result
}

async function snapshotHeights(): Promise<number[]> {
  const answer = await fetch(`${validator.ready.consensus}/lockstep_snapshots`)
  const { snapshots } = (await answer.json()) as { snapshots: { height: number }[] }
  return snapshots.map(({ height }) => height)
}

/** Creates a chain with a transfer and a later snapshot. */
beforeAll(async () => {
  mkdirSync(validatorHome)
  validator = await startDaemon({
    home: validatorHome,
    arguments: ['--consensus.block-time', '50ms', '--state-sync.snapshot-interval', '40'],
  })
  await mineDynamicFee(validator.ready.rpc, 0, { to: TO, value: 12_345n })
  await until(async () => (await snapshotHeights()).length > 0)
  // From here on no new snapshot is made. One that not all servers have yet would be requested from one server only.
  expect(await validator.stop()).toBe(0)
  validator = await startDaemon({
    home: validatorHome,
    arguments: ['--consensus.block-time', '50ms'],
  })
  const [height = 0] = await snapshotHeights()
  await reachHeight(validator.ready.rpc, height + 2)
  const block = await route<{ block_id: { hash: string } }>(
    validator.ready.consensus,
    `block?height=${TRUST_HEIGHT}`,
  )
  trustHash = block.block_id.hash
})
afterAll(async () => {
  await validator.stop()
  removeHome(folder)
})

const trust = (servers: string, hash = trustHash) => [
  '--statesync.enable',
  'true',
  '--statesync.rpc-servers',
  servers,
  '--statesync.trust-height',
  String(TRUST_HEIGHT),
  '--statesync.trust-hash',
  hash,
]

async function expectSameState({ ready }: Daemon): Promise<void> {
  const height = Number(await call(ready.rpc, 'eth_blockNumber', []))
  await reachHeight(ready.rpc, height + 2)
  expect(Number(await call(ready.rpc, 'eth_getBalance', [TO, 'latest']))).toBe(12_345)
  const path = `commit?height=${height + 1}`
  expect(await route(ready.consensus, path)).toEqual(await route(validator.ready.consensus, path))
}

describe('state sync', () => {
  test.each([
    ['unsplit', 'false'],
    ['split', 'true'],
  ])(
    'starts an %s home from a snapshot and follows, past a server with bad chunks',
    async (name, split) => {
      const home = join(folder, name)
      await makeFollowerHome(home, validatorHome)
      const liar = await lieAbout(validator.ready.consensus, (path, body) => {
        if (!path.includes('chunk')) return body
        body[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 1
        return body
      })
      const servers = `${liar.url},${validator.ready.consensus}`
      const args = [...trust(servers), '--state-store.evm-ss-split', split]
      const daemon = await startDaemon({ home, dev: false, arguments: args })
      const output = daemon.output()
      expect(output).toMatch(
        new RegExp(
          `ERR state sync: a server is no longer used server=${liar.url} reason="${liar.url}: chunk 0 differs from`,
        ),
      )
      expect(output).toMatch(/INF state sync: the home has its chain height=\d+\n/)
      expect(existsSync(join(home, 'data/evm_ss'))).toBe(split === 'true')
      expect(existsSync(join(home, 'data/state-sync'))).toBe(false)
      const { sync_info } = await route<{ sync_info: { earliest_block_height: string } }>(
        daemon.ready.consensus,
        'status',
      )
      expect(Number(sync_info.earliest_block_height)).toBeGreaterThan(10)
      await expectSameState(daemon)
      expect(await daemon.stop()).toBe(0)
      await liar.close()
      // The home has blocks now: the keys may stay, and nothing is fetched again.
      const again = await startDaemon({ home, dev: false, arguments: args })
      expect(again.output()).toContain(
        'INF Found local state with non-zero height, skipping state sync\n',
      )
      await expectSameState(again)
      expect(await again.stop()).toBe(0)
    },
    180_000,
  )

  test('that is killed before any of its answers is resumed by the next start', async () => {
    const home = join(folder, 'killed')
    await makeFollowerHome(home, validatorHome)
    let child: ChildProcess | undefined
    let answers = Number.POSITIVE_INFINITY
    // Kills the process while it waits, one answer later each time, to reach every step of the sync.
    const slow = await lieAbout(validator.ready.consensus, (_, body) => {
      if (answers-- === 0) child?.kill('SIGKILL')
      return body
    })
    const args = [...trust(`${slow.url},${slow.url}`), '--state-store.evm-ss-split', 'true']
    let kills = 0
    for (let before = 0; ; before++) {
      answers = before
      child = spawn(process.execPath, [MAIN, 'start', '--home', home, ...FREE_PORTS, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (data) => {
          output += data
          // The sync has completed all of its requests.
          if (output.includes('the home has its chain')) child?.kill('SIGKILL')
        })
      }
      const [, signal] = await once(child, 'close')
      expect(signal, output).toBe('SIGKILL')
      if (output.includes('the home has its chain')) break
      kills++
    }
    answers = Number.POSITIVE_INFINITY
    expect(kills).toBeGreaterThan(3)
    const daemon = await startDaemon({ home, dev: false, arguments: args })
    await expectSameState(daemon)
    expect(existsSync(join(home, 'data/state-sync'))).toBe(false)
    expect(await daemon.stop()).toBe(0)
    await slow.close()
  })

  test('refuses a snapshot that the trusted block does not prove, and names the wrong key', async () => {
    const home = join(folder, 'refused')
    await makeFollowerHome(home, validatorHome)
    const { consensus } = validator.ready
    const start = (...args: string[]) =>
      runCommand(['start', '--home', home, '--rpc.laddr', 'tcp://127.0.0.1:0', ...args])
    const other = await start(...trust(`${consensus},${consensus}`, 'ab'.repeat(32)))
    expect(other.code).toBe(78)
    expect(other.stderr).toContain(
      `Error: ${consensus} has block ${trustHash} at height 3, but trusted is ${'AB'.repeat(32)} at 3\n` +
        'Hint: set trust-height and trust-hash to a later block from a source that you trust\n',
    )
    const one = await start(...trust(consensus))
    expect(one.code).toBe(78)
    expect(one.stderr).toContain('at least two servers are needed if statesync.enable is true')
    const old = await start(
      ...trust(`${consensus},${consensus}`),
      '--statesync.trust-period',
      '1ms',
    )
    expect(old.code).toBe(78)
    expect(old.stderr).toMatch(/the trusted block 3 is of \S+Z, which is past the trust period\n/)
    const signer = await start(...trust(`${consensus},${consensus}`), '--mode', 'validator')
    expect(signer.code).toBe(78)
    expect(readdirSync(join(home, 'data'))).toEqual(['priv_validator_state.json'])
  })

  test('stops asking servers whose snapshot has another app hash than the chain', async () => {
    const home = join(folder, 'false')
    await makeFollowerHome(home, validatorHome)
    const liar = await lieAbout(validator.ready.consensus, (path, body) =>
      path.endsWith('snapshots') ? Buffer.from(falsified(body.toString())) : body,
    )
    const { code, stderr } = await runCommand([
      'start',
      '--home',
      home,
      '--rpc.laddr',
      'tcp://127.0.0.1:0',
      ...trust(`${liar.url},${liar.url}`),
    ])
    await liar.close()
    expect(code).toBe(65)
    expect(stderr).toMatch(
      /ERR state sync: a snapshot is invalid height=\d+ reason="its app hash is /,
    )
    expect(stderr).toContain('Error: every server of rpc-servers is dropped')
  })
})

/** Returns the list with other app hashes and matching seals. */
function falsified(list: string): string {
  const { snapshots } = JSON.parse(list) as { snapshots: SnapshotMetadata[] }
  return JSON.stringify({
    snapshots: snapshots.map(({ hash: _, ...metadata }) =>
      sealMetadata({ ...metadata, appHash: '11'.repeat(32) }),
    ),
  })
}
