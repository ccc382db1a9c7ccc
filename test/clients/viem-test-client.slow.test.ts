import {
  type Chain,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  parseEther,
  publicActions,
  type TestClient,
  walletActions,
} from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { compile } from '../support/contracts/solidity.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { viemChain } from '../support/node/viem-chain.ts'

const { abi, bytecode } = compile('Probe.sol').get('Probe') ?? { abi: [], bytecode: '0x' as const }
const STRANGER = '0x00000000000000000000000000000000DeaDBeef'
const ETHER = parseEther('1')
/** Code that returns 42. */
const CODE = '0x602a60005260206000f3'

const home = makeHome()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
})

afterAll(async () => {
  await daemon?.stop()
  removeHome(home)
})

describe.each(['anvil', 'hardhat'] as const)("viem's test client in mode %s", (mode) => {
  const [owner, friend] = [devAccount(0).address, devAccount(1).address]
  let chain: Chain
  let client: ReturnType<typeof makeClient>
  let untouched: Hex

  function makeClient() {
    const test: TestClient = createTestClient({
      mode,
      chain,
      transport: http(),
      pollingInterval: 20,
    })
    return test.extend(publicActions).extend(walletActions)
  }

  beforeAll(() => {
    chain = viemChain(daemon.ready)
    client = makeClient()
  })

  beforeEach(async () => {
    untouched = await client.snapshot()
  })

  afterEach(async () => {
    await client.revert({ id: untouched })
  })

  const send = (from: Hex, to: Hex, value = 1n) =>
    client.sendTransaction({ account: from, chain, to, value })

  test('mines blocks, also at an interval', async () => {
    const before = await client.getBlock()
    await client.mine({ blocks: 3, interval: 60 })
    const after = await client.getBlock()
    expect(after.number).toBe(before.number + 3n)
    expect(after.timestamp - before.timestamp).toBeGreaterThanOrEqual(120n)
  })

  test('gets the receipt of a transaction as soon as it has its hash', async () => {
    const before = await client.getBlockNumber()
    const hash = await send(owner, friend)
    const receipt = await client.getTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', blockNumber: before + 1n })
  })

  test('collects transactions while automine is off', async () => {
    expect(await client.getAutomine()).toBe(true)
    await client.setAutomine(false)
    expect(await client.getAutomine()).toBe(false)
    const kept = await send(owner, friend)
    const dropped = await send(friend, owner)
    expect(await client.getTxpoolStatus()).toEqual({ pending: 2, queued: 0 })
    const content = await client.getTxpoolContent()
    expect(Object.keys(content.pending).map((key) => key.toLowerCase())).toContain(
      owner.toLowerCase(),
    )
    expect(JSON.stringify(await client.inspectTxpool())).toContain(friend)
    await client.dropTransaction({ hash: dropped })
    await client.mine({ blocks: 1 })
    expect(await client.getTransactionReceipt({ hash: kept })).toMatchObject({ status: 'success' })
    await expect(client.getTransaction({ hash: dropped })).rejects.toThrow(/could not be found/)
    await client.setAutomine(true)
  })

  test('sets and increases the time of blocks', async () => {
    const { timestamp } = await client.getBlock()
    await client.setNextBlockTimestamp({ timestamp: timestamp + 1_000n })
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBe(timestamp + 1_000n)
    await client.increaseTime({ seconds: 86_400 })
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp + 87_400n)
    await client.setBlockTimestampInterval({ interval: 5 })
    await client.mine({ blocks: 1 })
    const first = (await client.getBlock()).timestamp
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBe(first + 5n)
    await client.removeBlockTimestampInterval()
    await expect(client.setNextBlockTimestamp({ timestamp: 1n })).rejects.toThrow()
  })

  test('changes accounts immediately', async () => {
    await client.setBalance({ address: STRANGER, value: 5n * ETHER })
    await client.setNonce({ address: STRANGER, nonce: 7 })
    await client.setCode({ address: STRANGER, bytecode: CODE })
    const value = `0x${'ab'.repeat(32)}` as const
    await client.setStorageAt({ address: STRANGER, index: 2, value })
    expect(await client.getBalance({ address: STRANGER })).toBe(5n * ETHER)
    expect(await client.getTransactionCount({ address: STRANGER })).toBe(7)
    expect(await client.getCode({ address: STRANGER })).toBe(CODE)
    expect(await client.getStorageAt({ address: STRANGER, slot: '0x2' })).toBe(value)
    expect(BigInt((await client.call({ to: STRANGER })).data ?? 0)).toBe(42n)
  })

  test('sets the overrides of the next block', async () => {
    await client.setCoinbase({ address: STRANGER })
    await client.setBlockGasLimit({ gasLimit: 20_000_000n })
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_234_567_890n })
    await client.mine({ blocks: 1 })
    const block = await client.getBlock()
    expect(block).toMatchObject({ gasLimit: 20_000_000n, baseFeePerGas: 1_234_567_890n })
    expect(block.miner.toLowerCase()).toBe(STRANGER.toLowerCase())
    await client.setLoggingEnabled(true)
  })

  test('impersonates accounts', async () => {
    await expect(send(STRANGER, friend)).rejects.toThrow()
    await client.impersonateAccount({ address: STRANGER })
    await client.setBalance({ address: STRANGER, value: ETHER })
    const before = await client.getBalance({ address: friend })
    const hash = await send(STRANGER, friend, 9n)
    const receipt = await client.getTransactionReceipt({ hash })
    expect(receipt.from.toLowerCase()).toBe(STRANGER.toLowerCase())
    expect(await client.getBalance({ address: friend })).toBe(before + 9n)
    await client.stopImpersonatingAccount({ address: STRANGER })
    await expect(send(STRANGER, friend)).rejects.toThrow()
  })

  test('sends unsigned transactions', async () => {
    await client.setBalance({ address: STRANGER, value: ETHER })
    const hash = await client.sendUnsignedTransaction({ from: STRANGER, to: friend, value: 3n })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.from.toLowerCase()).toBe(STRANGER.toLowerCase())
  })

  test('reverts to nested snapshots', async () => {
    const wallet = createWalletClient({ account: devAccount(0), chain, transport: http() })
    const deployed = await wallet.deployContract({ abi, bytecode, chain })
    const { contractAddress } = await client.getTransactionReceipt({ hash: deployed })
    const address = contractAddress as Hex
    const count = async () =>
      client.readContract({ abi, address, functionName: 'counts', args: [owner] })
    const once = await client.snapshot()
    await wallet.writeContract({ abi, address, chain, functionName: 'count' })
    const twice = await client.snapshot()
    await wallet.writeContract({ abi, address, chain, functionName: 'count' })
    expect(await count()).toBe(2n)
    await client.revert({ id: twice })
    expect(await count()).toBe(1n)
    await client.revert({ id: once })
    expect(await count()).toBe(0n)
    expect(await client.getTransactionCount({ address: owner })).toBe(
      (await client.getTransactionCount({ address: owner, blockTag: 'pending' })) as number,
    )
  })

  test('dumps and loads the state', async () => {
    await client.setBalance({ address: STRANGER, value: 77n })
    const state = await client.dumpState()
    await client.setBalance({ address: STRANGER, value: 0n })
    await client.loadState({ state })
    expect(await client.getBalance({ address: STRANGER })).toBe(77n)
  })
})
