import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand, startDaemon } from '../../support/node/daemon.ts'
import { call, post } from '../../support/node/json-rpc.ts'
import { mineDynamicFee, reachHeight } from '../../support/node/progress.ts'

const TO = '0x00000000000000000000000000000000000000aa'

const folder = makeHome()
afterAll(() => removeHome(folder))
const validator = join(folder, 'validator')
const rpcNode = join(folder, 'rpc')
let snapshot: string

const migrate = (home: string, ...flags: string[]) =>
  runCommand(['migrate', 'split-store', '--home', home, ...flags])

/** Creates a validator with a transaction in a block, and an RPC node from its snapshot. */
beforeAll(async () => {
  mkdirSync(validator)
  const { ready, stop } = await startDaemon({
    home: validator,
    arguments: ['--consensus.create-empty-blocks', 'false'],
  })
  await mineDynamicFee(ready.rpc, 0, { to: TO, value: 5n })
  expect(await stop()).toBe(0)
  const exported = await runCommand(['snapshot', 'export', '--home', validator])
  snapshot = join(folder, 'snapshot')
  renameSync(exported.stdout.trim(), snapshot)
  const genesis = join(validator, 'config/genesis.json')
  const imported = await runCommand([
    ...['snapshot', 'import', snapshot, '--home', rpcNode, '--genesis', genesis],
  ])
  expect(imported.code).toBe(0)
})

test('an RPC node is migrated to the split store from a snapshot and serves from it', async () => {
  const dry = await migrate(rpcNode, '--snapshot', snapshot, '--dry-run')
  expect(dry.code).toBe(0)
  expect(dry.stdout.split('\n')).toHaveLength(8)
  expect(dry.stdout).toContain('3. delete config/genesis.json, ')
  expect(existsSync(join(rpcNode, 'migrate-split-store'))).toBe(false)

  const genesis = readFileSync(join(rpcNode, 'config/genesis.json'), 'utf8')
  const { code, stderr } = await migrate(rpcNode, '--snapshot', snapshot)
  expect(stderr).toContain('The home is ready. `lockstep start` logs `NodeDB SS is enabled`')
  expect(code).toBe(0)
  expect(readFileSync(join(rpcNode, 'config/genesis.json'), 'utf8')).toBe(genesis)
  const source = await startDaemon({
    home: validator,
    arguments: ['--consensus.block-time', '50ms'],
  })
  const { ready, output, stop } = await startDaemon({
    home: rpcNode,
    dev: false,
    arguments: ['--follow.rpc-servers', source.ready.consensus],
  })
  expect(output()).toMatch(/NodeDB SS is enabled backend=pebbledb/)
  expect(output()).toMatch(/NodeDB EVM StateStore optimization is enabled separateDBs=true/)
  expect(output()).toMatch(/EVM state store enabled dir="?.*evm_ss"? separateDBs=true/)
  // The snapshot does not contain the state before its own block.
  const height = Number(await call(ready.rpc, 'eth_blockNumber', []))
  await reachHeight(ready.rpc, height + 2)
  const trace = await post(ready.rpc, 'debug_traceBlockByNumber', ['latest', {}])
  expect(trace.error).toBeUndefined()
  expect(trace.result).toBeInstanceOf(Array)
  expect(Number(await call(ready.rpc, 'eth_getBalance', [TO, 'latest']))).toBe(5)

  const running = await migrate(rpcNode, '--snapshot', snapshot)
  expect(running).toMatchObject({
    code: 75,
    stderr: expect.stringContaining('resource temporarily unavailable'),
  })
  expect(await stop()).toBe(0)
  expect(await source.stop()).toBe(0)
  const again = await migrate(rpcNode, '--snapshot', snapshot)
  expect(again).toMatchObject({
    code: 69,
    stderr: expect.stringContaining('already has evm-ss-split = true'),
  })
})

test('the migration refuses a validator, a snapshot inside data/, a missing source, and two sources', async () => {
  expect(await migrate(validator, '--snapshot', snapshot)).toMatchObject({
    code: 69,
    stderr: expect.stringContaining('is the home of a validator: the split store is for RPC nodes'),
  })
  const fresh = join(folder, 'fresh')
  const genesis = join(validator, 'config/genesis.json')
  await runCommand(['snapshot', 'import', snapshot, '--home', fresh, '--genesis', genesis])
  const inside = join(fresh, 'data', 'snapshots')
  mkdirSync(inside, { recursive: true })
  writeFileSync(join(inside, 'metadata.json'), '{}')
  expect(await migrate(fresh, '--snapshot', inside)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('which is deleted\nHint: move the snapshot out of data/ first'),
  })
  expect(await migrate(fresh, '--snapshot', inside, '--from', 'h:1')).toMatchObject({ code: 64 })
  expect(await migrate(fresh)).toMatchObject({ code: 64 })
  expect(existsSync(join(fresh, 'migrate-split-store'))).toBe(false)
})

test('the migration can change the backend to rocksdb', async () => {
  const home = join(folder, 'rocks')
  const genesis = join(validator, 'config/genesis.json')
  await runCommand(['snapshot', 'import', snapshot, '--home', home, '--genesis', genesis])
  const { code } = await migrate(home, '--snapshot', snapshot, '--backend', 'rocksdb')
  expect(code).toBe(0)
  expect(existsSync(join(home, 'data/pebbledb'))).toBe(false)
  const { ready, output, stop } = await startDaemon({ home, dev: false })
  expect(output()).toMatch(/NodeDB SS is enabled backend=rocksdb\n/)
  expect(output()).toMatch(/EVM state store enabled dir=/)
  expect(Number(await call(ready.rpc, 'eth_getBalance', [TO, 'latest']))).toBe(5)
  expect(await stop()).toBe(0)
})
