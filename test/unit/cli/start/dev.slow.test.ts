import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, http, parseEther } from 'viem'
import { hardhat } from 'viem/chains'
import { afterEach, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'

const homes: string[] = []

afterEach(() => {
  for (const home of homes.splice(0)) removeHome(home)
})

function newHome(): string {
  const home = makeHome()
  homes.push(home)
  return home
}

function clientsOf({ ready }: Daemon) {
  const transport = http(ready.rpc as string)
  return {
    reads: createPublicClient({ chain: hardhat, transport, cacheTime: 0 }),
    wallet: createWalletClient({ account: devAccount(0), chain: hardhat, transport }),
  }
}

test('an automine chain makes a block only for a transaction, and answers after that block', async () => {
  const home = newHome()
  const args = ['--dev.automine', '--dev.accounts', '2', '--dev.balance', '7']
  const first = await startDaemon({ home, arguments: args })
  const { reads, wallet } = clientsOf(first)
  expect(await reads.getBlockNumber()).toBe(0n)
  expect(await reads.getBalance({ address: devAccount(1).address })).toBe(parseEther('7'))
  expect(await reads.getBalance({ address: devAccount(2).address })).toBe(0n)
  // Settings that a new home changes from the defaults apply at its first start too.
  const held = await reads.request({ method: 'trace_filter' as never, params: [{}] as never })
  expect(held).toEqual([])
  for (const number of [1n, 2n]) {
    const hash = await wallet.sendTransaction({ to: devAccount(1).address, value: 1n })
    expect((await reads.getTransactionReceipt({ hash })).blockNumber).toBe(number)
  }
  const low = { to: devAccount(1).address, value: 1n, gas: 21_000n }
  await expect(
    wallet.sendTransaction({ ...low, maxFeePerGas: 999_999_999n, maxPriorityFeePerGas: 0n }),
  ).rejects.toThrow('minimum needed 1000000000')
  // A transaction that waits for an earlier nonce has no block, but its hash is returned.
  const queued = await wallet.sendTransaction({ ...low, nonce: 3 })
  expect(await reads.getBlockNumber()).toBe(2n)
  const filling = await wallet.sendTransaction({ ...low, nonce: 2 })
  const receipts = [filling, queued].map((hash) => reads.getTransactionReceipt({ hash }))
  expect((await Promise.all(receipts)).map(({ blockNumber }) => blockNumber)).toEqual([3n, 3n])
  const before = await reads.getBlock()
  expect(await first.stop()).toBe(0)

  // app.toml contains the accounts, so that no flags are needed.
  const second = await startDaemon({ home, arguments: ['--dev.automine'] })
  const later = clientsOf(second)
  expect((await later.reads.getBlock()).hash).toBe(before.hash)
  const hash = await later.wallet.sendTransaction(low)
  expect((await later.reads.getTransactionReceipt({ hash })).blockNumber).toBe(4n)
  expect(await second.stop()).toBe(0)

  const { code, stderr } = await runCommand([
    'start',
    '--dev',
    '--home',
    home,
    '--dev.balance',
    '8',
  ])
  expect(code).toBe(64)
  const genesis = join(home, 'config', 'genesis.json')
  expect(stderr).toContain(
    `${genesis} has 7 tokens for 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266; dev.accounts, dev.mnemonic, dev.derivation-path and dev.balance ask for 8 tokens`,
  )
})

test('development flags are refused on other chains, and invalid flag values are refused', async () => {
  const home = newHome()
  const plain = await runCommand(['start', '--home', home, '--dev.automine'])
  expect(plain).toMatchObject({ code: 64 })
  expect(plain.stderr).toContain('--dev.automine is for development chains')
  expect(plain.stderr).toContain('start with --dev, or omit it')
  const words = 'one two three'
  const wrong = await runCommand(['start', '--dev', '--home', home, '--dev.mnemonic', words])
  expect(wrong).toMatchObject({ code: 64 })
  expect(wrong.stderr).toContain('the 3 words are not a BIP-39 mnemonic')
  rmSync(home, { recursive: true, force: true })
})

test('a new chain starts with the accounts of a state file and writes its own state to it', async () => {
  const home = newHome()
  const state = join(home, 'state.json')
  const args = ['--dev.automine', '--dev.state', state]
  const somebody = `0x${'5a'.repeat(20)}` as const
  const slot = `0x${'00'.repeat(31)}01` as const
  const first = await startDaemon({ home, arguments: args })
  const { wallet } = clientsOf(first)
  await wallet.sendTransaction({ to: somebody, value: 7n })
  await wallet.request({
    method: 'anvil_setStorageAt' as never,
    params: [somebody, '0x1', `0x${'ab'.repeat(32)}`] as never,
  })
  expect(await first.stop()).toBe(0)
  const kept = JSON.parse(readFileSync(state, 'utf8')).accounts[somebody]
  expect(kept).toEqual({
    nonce: 0,
    balance: '0x7',
    code: '0x',
    storage: { [slot]: `0x${'ab'.repeat(32)}` },
  })

  const second = await startDaemon({ home: newHome(), arguments: args })
  const { reads } = clientsOf(second)
  expect(await reads.getBlockNumber()).toBe(0n)
  expect(await reads.getBalance({ address: somebody })).toBe(7n)
  expect(await reads.getStorageAt({ address: somebody, slot })).toBe(`0x${'ab'.repeat(32)}`)
  expect(await reads.getTransactionCount({ address: devAccount(0).address })).toBe(1)
  expect(await second.stop()).toBe(0)

  writeFileSync(state, '{"accounts": {"0x12": {}}}')
  const { code, stderr } = await runCommand([
    'start',
    '--dev',
    '--home',
    newHome(),
    ...args.slice(1),
  ])
  expect(code).not.toBe(0)
  expect(stderr).toContain('Failed to decode state dump: accounts')
})
