import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { mineDynamicFee } from '../support/node/progress.ts'

const SETTINGS = [
  ['--consensus.create-empty-blocks', 'false'],
  ['--consensus.block-time', '10ms'],
  ['--state-store.evm-ss-split', 'true'],
].flat()

const home = makeHome()
const data = join(home, 'data')
/** A backup of the whole home, and a folder for a snapshot. */
const backup = makeHome()
const snapshots = makeHome()
afterAll(() => {
  for (const each of [home, backup, snapshots]) removeHome(each)
})

const balanceOf = (rpc: string): Promise<Hex> =>
  call<Hex>(rpc, 'eth_getBalance', [devAccount(1).address, 'latest'])

let balance: Hex = '0x0'

beforeAll(async () => {
  const daemon = await startDaemon({ home, arguments: SETTINGS })
  const { rpc } = daemon.ready
  for (let nonce = 0; nonce < 4; nonce++) {
    await mineDynamicFee(rpc, 0, { nonce, to: devAccount(1).address, value: 5n })
  }
  balance = await balanceOf(rpc)
  expect(await daemon.stop()).toBe(0)
  cpSync(home, backup, { recursive: true })
})

function restore(): void {
  rmSync(data, { recursive: true })
  cpSync(join(backup, 'data'), data, { recursive: true })
  cpSync(join(backup, 'config'), join(home, 'config'), { recursive: true })
}

/** Overwrites the middle of a file, which holds its used part. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  const from = path.endsWith('data.mdb') ? 0 : Math.floor(bytes.length / 3)
  for (let i = from; i < bytes.length; i++) bytes[i] = (bytes[i] as number) ^ 0x5a
  writeFileSync(path, bytes)
}

/** Returns the first file of a folder with this ending. */
function fileIn(folder: string, ending: string): string {
  const name = readdirSync(join(data, folder))
    .sort()
    .find((each) => each.endsWith(ending))
  if (name === undefined) throw new Error(`no *${ending} in ${folder}`)
  return join(data, folder, name)
}

const STORES: readonly (readonly [folder: string, ending: string])[] = [
  ['chain.db', 'data.mdb'],
  ['blockstore.db', 'data.mdb'],
  ['committer.db', 'data.mdb'],
  ['pebbledb', 'data.mdb'],
  ['evm_ss/account', 'data.mdb'],
  ['evm_ss/account', '.seg'],
  ['wal', 'head'],
]

test.each(STORES)(
  'damage in %s (%s) is reported with the message of the contract',
  async (folder, ending) => {
    const path = fileIn(folder, ending)
    damage(path)
    const { code, stderr } = await runCommand(['start', '--dev', '--home', home, ...SETTINGS])
    expect(code).toBe(74)
    expect(stderr).toContain('Error: Database is corrupted: ')
    expect(stderr).toContain(join(data, folder))
    expect(stderr).toContain('restore a backup of the whole home')
    const verified = await runCommand(['debug', 'verify-db', '--home', home])
    expect(verified.code).toBe(74)
    expect(verified.stdout).toContain(`damaged  data/${folder}`)
    restore()
  },
  180_000,
)

test('a backup repairs a home with which a start was refused', async () => {
  damage(fileIn('chain.db', 'data.mdb'))
  expect((await runCommand(['start', '--dev', '--home', home, ...SETTINGS])).code).toBe(74)
  restore()
  const daemon = await startDaemon({ home, arguments: SETTINGS })
  expect(await balanceOf(daemon.ready.rpc)).toBe(balance)
  expect(await daemon.stop()).toBe(0)
})

test.each(['tx_index.db', 'log_index.db'])(
  'damage in %s is repaired automatically',
  async (folder) => {
    damage(fileIn(folder, 'data.mdb'))
    const daemon = await startDaemon({ home, arguments: SETTINGS })
    expect(await balanceOf(daemon.ready.rpc)).toBe(balance)
    expect(daemon.output()).toContain('an index is rebuilt from the blocks')
    expect(await daemon.stop()).toBe(0)
  },
  180_000,
)

test('a reset followed by a snapshot import, the other remedy, also restores the state', async () => {
  restore()
  const exported = await runCommand(['snapshot', 'export', '--home', home])
  expect(exported.code).toBe(0)
  const dir = join(snapshots, 'snapshot')
  cpSync(exported.stdout.trim(), dir, { recursive: true })
  damage(fileIn('committer.db', 'data.mdb'))
  const refused = await runCommand(['start', '--dev', '--home', home, ...SETTINGS])
  expect(refused.stderr).toContain('reset it with `lockstep consensus unsafe-reset-all` and import')
  expect((await runCommand(['consensus', 'unsafe-reset-all', '--home', home])).code).toBe(0)
  expect(existsSync(join(data, 'committer.db'))).toBe(false)
  const imported = await runCommand(['snapshot', 'import', dir, '--home', home])
  expect({ code: imported.code, stderr: imported.stderr }).toMatchObject({ code: 0 })
  // The commands used the home's configuration, in which the split is off.
  const unsplit = SETTINGS.slice(0, 4)
  const daemon = await startDaemon({ home, dev: false, arguments: unsplit })
  expect(await balanceOf(daemon.ready.rpc)).toBe(balance)
  expect(await daemon.stop()).toBe(0)
})
