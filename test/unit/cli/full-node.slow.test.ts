import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { readValidatorPublicKey } from '../../../host/chain/consensus/validator/key-file.ts'
import {
  readSignState,
  UNSIGNED,
  writeSignState,
} from '../../../host/chain/consensus/validator/sign-state.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import {
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../support/node/daemon.ts'
import { signDynamicFee } from '../../support/node/dev-wallet.ts'
import { call } from '../../support/node/json-rpc.ts'
import { minedReceipt } from '../../support/node/progress.ts'

const ARGUMENTS = ['--consensus.block-time', '10ms']
const TO = '0x00000000000000000000000000000000000000aa'

const folder = makeHome()
afterAll(() => removeHome(folder))
const validatorHome = join(folder, 'validator')

let height: number
let raw: Hex
let hash: Hex

/** Creates a chain of some blocks and exports a snapshot of its validator. */
beforeAll(async () => {
  await initializeValidator(validatorHome)
  const { ready, stop } = await startDaemon({
    home: validatorHome,
    dev: false,
    arguments: ARGUMENTS,
  })
  const transfer = { to: TO, value: 12_345n } as const
  const first = await signDynamicFee(0, { ...transfer, nonce: 0 })
  raw = await signDynamicFee(0, { ...transfer, nonce: 1 })
  hash = await call<Hex>(ready.rpc, 'eth_sendRawTransaction', [first])
  await minedReceipt(ready.rpc, hash)
  expect(await stop()).toBe(0)
  const exported = await runCommand(['snapshot', 'export', '--home', validatorHome])
  height = Number(exported.stdout.trim().split('/').at(-1))
})

const stateOf = (home: string) => join(home, 'data/priv_validator_state.json')
const importInto = (home: string, named: string, ...flags: string[]) =>
  runCommand(['snapshot', 'import', named, '--home', home, ...flags], {
    LOCKSTEP_HOME: validatorHome,
  })

test('a home created from the snapshot of another node serves its chain and signs nothing', async () => {
  const home = join(folder, 'full')
  const imported = await importInto(home, String(height))
  expect(imported.stderr).toContain(
    `Initializing ${home} for the chain of ${validatorHome}/config/genesis.json, with new keys\n`,
  )
  expect(imported.code).toBe(0)
  const keys = [home, validatorHome].map((each) => homeAt(each).config.validatorKey)
  const [own, signer] = await Promise.all(keys.map(readValidatorPublicKey))
  expect(own).toBeDefined()
  expect(own).not.toEqual(signer)
  expect((await readSignState(stateOf(home))).height).toBe(height)
  for (const start of ['first', 'second']) {
    const { ready, output, stop } = await startDaemon({ home, dev: false, arguments: ARGUMENTS })
    expect(output(), start).toMatch(
      /WRN serving read-only: this full node has no servers to follow height=\d+\n/,
    )
    const refused = await fetch(ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_sendRawTransaction',
        params: [raw],
      }),
    })
    expect(await refused.json()).toMatchObject({
      error: { code: -32000, message: 'this node makes no blocks and accepts no transactions' },
    })
    expect(Number(await call(ready.rpc, 'eth_getBalance', [TO, 'latest']))).toBe(12_345)
    expect(await call(ready.rpc, 'eth_getTransactionReceipt', [hash])).toMatchObject({ to: TO })
    const status = await runCommand(['status', '--home', home])
    const { SyncInfo, ValidatorInfo } = JSON.parse(status.stdout)
    expect(SyncInfo.latest_block_height).toBe(String(height))
    expect(ValidatorInfo.VotingPower).toBe('0')
    expect(Number(await call(ready.rpc, 'eth_blockNumber', []))).toBe(height)
    expect(await stop()).toBe(0)
  }
})

test("a copy of a validator's home becomes a follower, even without its key", async () => {
  const home = join(folder, 'copied')
  const config = join(home, 'config')
  cpSync(join(validatorHome, 'config'), config, { recursive: true })
  expect(readFileSync(join(config, 'config.toml'), 'utf8')).toMatch(/^mode = "validator"$/m)
  const dir = join(validatorHome, 'data/snapshots', String(height))
  const imported = await importInto(home, dir)
  expect(imported.stderr).toContain(
    'This node follows the chain and signs nothing (mode = "full" in config.toml)',
  )
  expect(imported.code).toBe(0)
  expect(await readSignState(stateOf(home))).toEqual({ ...UNSIGNED, height, step: 3 })
  const text = readFileSync(join(config, 'config.toml'), 'utf8')
  const before = readFileSync(join(validatorHome, 'config/config.toml'), 'utf8')
  expect(text).toBe(before.replace('mode = "validator"', 'mode = "full"'))
  for (const keyed of [true, false]) {
    if (!keyed) rmSync(join(config, 'priv_validator_key.json'))
    const { ready, stop } = await startDaemon({ home, dev: false, arguments: ARGUMENTS })
    expect(Number(await call(ready.rpc, 'eth_blockNumber', []))).toBe(height)
    expect(Number(await call(ready.rpc, 'eth_getBalance', [TO, 'latest']))).toBe(12_345)
    expect(await stop()).toBe(0)
  }
})

test('a validator refuses to sign after a snapshot that is older than the signatures of its key', async () => {
  const home = join(folder, 'ahead')
  cpSync(join(validatorHome, 'config'), join(home, 'config'), { recursive: true })
  const [record] = readdirSync(join(home, 'config')).filter((name) => name.includes('_signed.'))
  await writeSignState(join(home, 'config', record ?? ''), { ...UNSIGNED, height: height + 1 })
  const dir = join(validatorHome, 'data/snapshots', String(height))
  const { code, stderr } = await importInto(home, dir, '--mode', 'validator')
  expect(code).toBe(70)
  expect(stderr).toBe(
    `Error: Duplicate signature refused: the snapshot is of height ${height}, and the key has signed ` +
      `height ${height + 1}\nHint: import a snapshot of height ${height + 1} or later, of a node that followed\n`,
  )
  expect(existsSync(join(home, 'data'))).toBe(false)
})

test('a validator that is moved signs nothing at the heights of the snapshot', async () => {
  const home = join(folder, 'moved')
  cpSync(join(validatorHome, 'config'), join(home, 'config'), { recursive: true })
  mkdirSync(join(home, 'data'))
  await writeSignState(stateOf(home), UNSIGNED)
  const dir = join(validatorHome, 'data/snapshots', String(height))
  const imported = await importInto(home, dir, '--mode', 'validator')
  expect(imported.stderr).toContain('This node signs from the next height on: if another node')
  expect(imported.code).toBe(0)
  expect(await readSignState(stateOf(home))).toEqual({ ...UNSIGNED, height, step: 3 })
  const { ready, stop } = await startDaemon({ home, dev: false, arguments: ARGUMENTS })
  while (Number(await call(ready.rpc, 'eth_blockNumber', [])) < height + 3);
  expect(await stop()).toBe(0)
})

test('a height that neither home has and a folder without a genesis are refused', async () => {
  const home = join(folder, 'empty')
  expect(await importInto(home, '999999')).toEqual({
    code: 69,
    stdout: '',
    stderr:
      `Error: no snapshot 999999 in ${home}/data/snapshots or ${validatorHome}/data/snapshots\n` +
      'Hint: name its folder, or a height that `lockstep snapshot list` shows\n',
  })
  const dir = join(validatorHome, 'data/snapshots', String(height))
  const { code, stderr } = await importInto(home, dir)
  expect(code).toBe(78)
  expect(stderr).toBe(
    `Error: ${home} has no config/genesis.json\n` +
      "Hint: pass --genesis with the chain's genesis.json from a source that you trust\n",
  )
  expect(existsSync(join(home, 'data'))).toBe(false)
})
