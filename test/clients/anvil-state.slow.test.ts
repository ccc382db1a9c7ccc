import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, getContractAddress } from 'viem'
import { afterAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import { ANVIL, startAnvil } from '../support/peer/anvil.ts'
import { settleAutomined } from './dev-helpers/helper-run.ts'
import { PROBE_ABI, PROBE_CREATION } from './dev-helpers/helper-scenario.ts'

const CHAIN_ID = 31_337
const [OWNER, FRIEND] = [devAccount(0).address, devAccount(1).address]
const STRANGER = '0x00000000000000000000000000000000005e7001'
const PROBE = getContractAddress({ from: OWNER, nonce: 0n })
const WORD: Hex = `0x${'ab'.repeat(32)}`

if (!existsSync(ANVIL))
  console.log('anvil is absent: install bench/peers to exchange states with it')

const probe = (functionName: string, ...args: unknown[]) => ({
  to: PROBE,
  data: encodeFunctionData({ abi: PROBE_ABI, functionName, args }),
})

async function send(url: string, request: object): Promise<void> {
  const answer = await post(url, 'eth_sendTransaction', [{ from: OWNER, ...request }])
  expect(answer).not.toHaveProperty('error')
  await settleAutomined(url, 'eth_sendTransaction', answer)
}

/** Returns everything that a dump contains about the accounts of this test. */
async function look(url: string): Promise<unknown> {
  const ask = (method: string, ...params: unknown[]) => call(url, method, [...params, 'latest'])
  const accounts = [OWNER, FRIEND, STRANGER, PROBE].flatMap((address) => [
    ask('eth_getBalance', address),
    ask('eth_getTransactionCount', address),
    ask('eth_getCode', address),
  ])
  return Promise.all([
    ...accounts,
    ask('eth_getStorageAt', STRANGER, '0x7'),
    ask('eth_call', probe('value')),
    ask('eth_call', probe('counts', OWNER)),
  ])
}

/** Sends the transactions that start each state and continue it. */
async function work(url: string, value: bigint): Promise<void> {
  await send(url, { ...probe('set', value), gas: '0x30d40' })
  await send(url, { ...probe('count'), gas: '0x30d40' })
  await send(url, { to: FRIEND, value: '0x5', gas: '0x5208' })
}

describe.skipIf(!existsSync(ANVIL))('a state moved between anvil and a development node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-state-'))
  const [ours, theirs] = [join(folder, 'ours.json'), join(folder, 'theirs.json')]
  const begin = (file: string) =>
    startDaemon({
      home: mkdtempSync(join(folder, 'home-')),
      arguments: ['--dev.automine', 'true', '--dev.state', file, '--log-level', 'warn'],
    })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('is loaded from files and by methods in both directions, and both chains continue', async () => {
    const first = await begin(ours)
    const { rpc } = first.ready
    await send(rpc, { data: PROBE_CREATION, gas: '0x1e8480' })
    await work(rpc, 41n)
    await call(rpc, 'anvil_setBalance', [STRANGER, '0xde0b6b3a7640000'])
    await call(rpc, 'anvil_setNonce', [STRANGER, '0x9'])
    await call(rpc, 'anvil_setCode', [STRANGER, '0x6001'])
    await call(rpc, 'anvil_setStorageAt', [STRANGER, '0x7', WORD])
    const written = await look(rpc)
    const dumped = await call<Hex>(rpc, 'anvil_dumpState')
    expect(await first.stop()).toBe(0)

    const anvil = await startAnvil(CHAIN_ID, ['--load-state', ours, '--dump-state', theirs])
    await call(anvil.url, 'evm_setAutomine', [true])
    expect(await look(anvil.url)).toEqual(written)
    await work(anvil.url, 42n)
    const changed = await look(anvil.url)
    expect(changed).not.toEqual(written)
    const theirDump = await call<Hex>(anvil.url, 'anvil_dumpState')
    // Only the value is compared: anvil keeps the higher of two nonces.
    await call(anvil.url, 'anvil_loadState', [dumped])
    expect(BigInt(await call<Hex>(anvil.url, 'eth_call', [probe('value'), 'latest']))).toBe(41n)
    await call(anvil.url, 'anvil_loadState', [theirDump])
    expect(await look(anvil.url)).toEqual(changed)
    await anvil.stop()
    expect(Object.keys(JSON.parse(readFileSync(theirs, 'utf8')).accounts)).toContain(STRANGER)

    const second = await begin(theirs)
    const { rpc: again } = second.ready
    expect(await look(again)).toEqual(changed)
    expect(await call(again, 'eth_blockNumber')).toBe('0x0')
    await call(again, 'anvil_loadState', [dumped])
    expect(await look(again)).toEqual(written)
    await call(again, 'anvil_loadState', [theirDump])
    expect(await look(again)).toEqual(changed)
    await work(again, 43n)
    expect(await call(again, 'eth_call', [probe('counts', OWNER), 'latest'])).toBe(
      `0x${'3'.padStart(64, '0')}`,
    )
    await second.stop()
  })
})
