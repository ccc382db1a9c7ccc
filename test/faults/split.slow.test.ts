import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { mineDynamicFee } from '../support/node/progress.ts'

const homes: string[] = []
afterAll(() => homes.forEach(removeHome))

function newHome(): string {
  const home = makeHome()
  homes.push(home)
  return home
}

function start(home: string, split: boolean): Promise<Daemon> {
  const args = ['--state-store.evm-ss-split', String(split), '--consensus.block-time', '20ms']
  return startDaemon({ home, arguments: args })
}

const TARGET = devAccount(1).address

/** Sends one wei to the target. Returns the height of the transfer. */
async function transfer({ ready }: Daemon): Promise<number> {
  const receipt = mineDynamicFee<{ blockNumber: Hex; status: Hex }>(ready.rpc, 0, {
    to: TARGET,
    value: 1n,
  })
  const { blockNumber, status } = await receipt
  expect(status).toBe('0x1')
  return Number(blockNumber)
}

async function balanceAt({ ready }: Daemon, height: number | 'latest'): Promise<bigint> {
  const tag = height === 'latest' ? height : `0x${height.toString(16)}`
  return BigInt(await call<Hex>(ready.rpc, 'eth_getBalance', [TARGET, tag]))
}

test('a node without the split refuses to turn it on without a state sync, and still runs with it off', async () => {
  const home = newHome()
  let daemon = await start(home, false)
  const sent = await transfer(daemon)
  const balance = await balanceAt(daemon, sent)
  expect(await daemon.stop()).toBe(0)
  const evmDir = join(home, 'data', 'evm_ss')
  const refusal = (what: string) =>
    `EVM SS directory "${evmDir}" ${what} but Cosmos SS already has history; ` +
    'state sync before enabling evm-ss-split, or set evm-ss-split=false'
  await expect(start(home, true)).rejects.toThrow(refusal('does not exist'))
  mkdirSync(evmDir)
  await expect(start(home, true)).rejects.toThrow(refusal('is empty'))
  rmSync(evmDir, { recursive: true })
  daemon = await start(home, false)
  expect(await balanceAt(daemon, sent)).toBe(balance)
  expect(await daemon.stop()).toBe(0)
}, 300_000)

test('a node with the split prints three lines about it, stores EVM data in separate databases, and does not start without them', async () => {
  const home = newHome()
  const daemon = await start(home, true)
  expect(daemon.output()).toMatch(/NodeDB SS is enabled.*backend/)
  expect(daemon.output()).toMatch(/NodeDB EVM StateStore optimization is enabled.*separateDBs/)
  expect(daemon.output()).toMatch(/EVM state store enabled.*dir.*separateDBs/)
  const sent = await transfer(daemon)
  const trace = await post(daemon.ready.rpc, 'debug_traceBlockByNumber', [`0x${sent.toString(16)}`])
  expect(trace.error).toBeUndefined()
  expect(await daemon.stop()).toBe(0)
  const sizes = await runCommand(['debug', 'state-size', '--home', home, '--json'])
  expect(sizes.code).toBe(0)
  const rows = JSON.parse(sizes.stdout) as { part: string; name: string; rows?: number }[]
  expect(rows.find(({ name }) => name === 'account')).toMatchObject({ part: 'evm' })
  expect(rows.filter(({ part }) => part === 'general').map(({ name }) => name)).not.toContain(
    'account',
  )
  const evmDir = join(home, 'data', 'evm_ss')
  const kept = newHome()
  cpSync(evmDir, kept, { recursive: true })
  rmSync(join(evmDir, 'storage'), { recursive: true })
  await expect(start(home, true)).rejects.toThrow(
    'EVM SS is empty but Cosmos SS already has history',
  )
  cpSync(kept, evmDir, { recursive: true })
  const again = await start(home, true)
  expect(await again.stop()).toBe(0)
}, 300_000)

test('a node whose split is turned off makes blocks and reports the heights without EVM data', async () => {
  const home = newHome()
  let daemon = await start(home, true)
  const first = await transfer(daemon)
  const balance = await balanceAt(daemon, first)
  const last = await transfer(daemon)
  expect(await daemon.stop()).toBe(0)

  daemon = await start(home, false)
  expect(daemon.output()).toContain(
    'EVM state is missing: it was written while evm-ss-split was on',
  )
  expect(await balanceAt(daemon, 'latest')).toBe(balance + 1n)
  const next = await transfer(daemon)
  expect(next).toBeGreaterThan(last)
  expect(await balanceAt(daemon, next)).toBe(balance + 2n)
  const answer = await post(daemon.ready.rpc, 'eth_getBalance', [TARGET, `0x${first.toString(16)}`])
  expect(answer.result).toBeUndefined()
  expect(answer.error?.message).toMatch(
    new RegExp(
      `^EVM state of height ${first} is missing: from height 0 to \\d+ it was written while evm-ss-split was true; available from height \\d+ on$`,
    ),
  )
  expect(readdirSync(join(home, 'data'))).toContain('evm_ss')
  expect(await daemon.stop('SIGKILL')).toBe('SIGKILL')

  // The disk space of the split databases can be reclaimed.
  rmSync(join(home, 'data', 'evm_ss'), { recursive: true })
  daemon = await start(home, false)
  expect(await balanceAt(daemon, next)).toBe(balance + 2n)
  const unchanged = await post(daemon.ready.rpc, 'eth_getBalance', [
    TARGET,
    `0x${first.toString(16)}`,
  ])
  expect(unchanged.error).toEqual(answer.error)
  expect(await daemon.stop()).toBe(0)
}, 300_000)
