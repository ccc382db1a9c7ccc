import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inspectConfig } from '../../../../host/base/config/load.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { call } from '../../../support/node/json-rpc.ts'
import { mineDynamicFee, reachHeight } from '../../../support/node/progress.ts'
import { rightValues } from '../../../support/node/right-values.ts'

const ARGUMENTS = ['--consensus.block-time', '10ms']
/** Writes 0x2a to slot 1 and returns one byte of code, 0x00. */
const INIT_CODE = '0x602a600155600160005360016000f3'

const homes: string[] = []
afterAll(() => homes.forEach(removeHome))

function newHome(): string {
  const home = makeHome()
  homes.push(home)
  return home
}

interface Receipt {
  readonly status: Hex
  readonly blockNumber: Hex
  readonly contractAddress: Hex
}

function send({ ready }: Daemon, fields: object): Promise<Receipt> {
  return mineDynamicFee<Receipt>(ready.rpc, 0, { gas: 200_000n, ...fields })
}

/** Returns a new home with the configuration, the keys and the signing state of another. */
function newHomeOf(home: string): string {
  const other = newHome()
  cpSync(join(home, 'config'), join(other, 'config'), { recursive: true })
  mkdirSync(join(other, 'data'))
  const state = join('data', 'priv_validator_state.json')
  cpSync(join(home, state), join(other, state))
  return other
}

/** The backend needs a library on the machine; the command itself has a flag `mode`. */
const UNPASSED = ['state-store.ss-backend', 'mode']

/** Imports a snapshot into a new home with each key as a flag, and expects each value in its files. */
async function expectFlags(dir: string, genesis: string): Promise<void> {
  const home = newHome()
  const values = [...rightValues('embedded')].filter(([flag]) => !UNPASSED.includes(flag))
  const flags = values.map(([flag, value]) => `--${flag}=${value}`)
  const words = ['snapshot', 'import', dir, '--home', home, '--genesis', genesis]
  const { code, stderr } = await runCommand([...words, ...flags])
  expect([code, stderr]).toEqual([0, expect.stringContaining('Imported height')])
  const { settings } = inspectConfig({
    directory: join(home, 'config'),
    environment: {},
    flags: new Map(),
  })
  for (const [flag, value] of values) {
    const { entry, value: written } = settings.find((each) => each.entry.flag === flag) ?? {}
    expect([flag, entry?.type.decode(written)]).toEqual([flag, entry?.type.decode(value)])
  }
  expect(settings.find(({ entry }) => entry.flag === 'mode')?.value).toBe('full')
}

test('a node continues from the snapshot of another node', async () => {
  const home = newHome()
  let daemon = await startDaemon({ home, arguments: ARGUMENTS })
  const to = '0x00000000000000000000000000000000000000aa'
  const { contractAddress } = await send(daemon, { data: INIT_CODE })
  await send(daemon, { to, value: 12_345n })
  await reachHeight(daemon.ready.rpc, 300)
  const running = await runCommand(['snapshot', 'export', '--home', home])
  expect(running).toMatchObject({ code: 75, stderr: expect.stringContaining('is in use by') })
  expect(await daemon.stop()).toBe(0)

  const wanted = await runCommand(['snapshot', 'export', '--home', home, '--height', '99999'])
  expect(wanted.code).toBe(69)
  expect(wanted.stderr).toMatch(
    /^Error: the state of height 99999 cannot be exported: the state commit is at height \d+\n/,
  )
  const exported = await runCommand(['snapshot', 'export', '--home', home])
  expect(exported).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Exported height \d+ /),
  })
  const dir = exported.stdout.trim()
  const height = Number(dir.slice(dir.lastIndexOf('/') + 1))
  expect(dir).toBe(join(home, 'data', 'snapshots', String(height)))
  const described = exported.stderr.slice('Exported '.length)
  expect(described).toMatch(
    /^height \d+ of chain 31337, 1 chunk, \d+\.\d kB, app hash [0-9a-f]{64}\n$/,
  )
  expect(await runCommand(['snapshot', 'list', '--home', home])).toEqual({
    code: 0,
    stdout: `${dir}: ${described}`,
    stderr: '',
  })
  expect(await runCommand(['snapshot', 'verify', dir, '--home', home])).toEqual({
    code: 0,
    stdout: `Valid: ${described}`,
    stderr: '',
  })
  const verified = await runCommand(['snapshot', 'verify', dir, '--json', '--home', home])
  const shown = JSON.parse(verified.stdout)
  expect(shown).toEqual({
    ...{ dir, height, chainId: '31337', format: 1, chunks: 1, bytes: expect.any(Number) },
    appHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(described).toContain(shown.appHash)
  const listed = await runCommand(['snapshot', 'list', '--json', '--home', home])
  expect(JSON.parse(listed.stdout)).toEqual([shown])
  expect([verified.stderr, listed.stderr]).toEqual(['', ''])
  const full = await runCommand(['snapshot', 'import', dir, '--home', home])
  expect(full.code).toBe(73)
  expect(full.stderr).toContain(
    `a snapshot is imported into an empty home\nHint: move ${dir} out of data, then run \`lockstep`,
  )

  await expectFlags(dir, join(home, 'config/genesis.json'))
  const other = newHomeOf(home)
  const signing = ['--mode', 'validator']
  const imported = await runCommand(['snapshot', 'import', dir, '--home', other, ...signing])
  expect(imported).toMatchObject({ code: 0, stdout: '' })
  // On slow machines, progress is printed before this text.
  const said =
    'Hashing all rows and comparing them with the app hash\n' +
    `Loading the state store from the start\nImported ${described}` +
    'This node signs from the next height on: if another node has its key, or has signed beyond the ' +
    'snapshot, two blocks get signed at one height\n'
  for (const line of said.split('\n')) expect(imported.stderr).toContain(line)
  const [original, copy] = [
    // A full node only, since the other home has replaced it as validator.
    await startDaemon({ home, arguments: ['--mode', 'full'] }),
    await startDaemon({ home: other, dev: false, arguments: ARGUMENTS }),
  ]
  const at = `0x${height.toString(16)}`
  for (const [method, ...params] of [
    ['eth_getBalance', to, at],
    ['eth_getBalance', devAccount(0).address, at],
    ['eth_getTransactionCount', devAccount(0).address, at],
    ['eth_getStorageAt', contractAddress, '0x1', at],
    ['eth_getCode', contractAddress, at],
    ['eth_getBlockByNumber', at, true],
    ['eth_getBlockByNumber', `0x${(height - 255).toString(16)}`, true],
    ['eth_getLogs', { fromBlock: at, toBlock: at }],
  ] as const) {
    const answers = await Promise.all(
      [original, copy].map(({ ready }) => call(ready.rpc, method, [...params])),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(answers[1]).not.toBeNull()
  }
  const receipt = await send(copy, { to, value: 5n })
  expect(receipt.status).toBe('0x1')
  expect(Number(receipt.blockNumber)).toBeGreaterThan(height)
  await reachHeight(copy.ready.rpc, height + 20)
  expect(BigInt(await call<Hex>(copy.ready.rpc, 'eth_getBalance', [to, 'latest']))).toBe(12_350n)
  expect(await original.stop()).toBe(0)
  expect(await copy.stop()).toBe(0)
  // It restarts like any other home, and its own state can be exported in turn.
  daemon = await startDaemon({ home: other, dev: false, arguments: ARGUMENTS })
  expect(await daemon.stop()).toBe(0)
  const again = await runCommand(['snapshot', 'export', '--home', other])
  expect(again.code).toBe(0)
  const next = newHomeOf(other)
  expect((await runCommand(['snapshot', 'import', again.stdout.trim(), '--home', next])).code).toBe(
    0,
  )

  const broken = newHomeOf(home)
  const chunk = join(dir, 'chunk-000000')
  const bytes = readFileSync(chunk)
  writeFileSync(chunk, bytes.fill(0, 1000, 1010))
  const damaged = await runCommand(['snapshot', 'import', dir, '--home', broken])
  expect(damaged.code).toBe(65)
  expect(damaged.stderr).toMatch(
    /chunk-000000 is damaged: its SHA-256 is .*\nHint: fetch the snapshot again, or use another one\n$/,
  )
  expect(existsSync(join(broken, 'data', 'snapshot-import.json'))).toBe(true)
  const refused = await runCommand(['start', '--home', broken, '--evm.http-port', '0'])
  expect(refused.code).toBe(78)
  expect(refused.stderr).toContain(
    `Error: the import of the snapshot of height ${height} into ${join(broken, 'data')} is not finished\n`,
  )
})
