import {
  type Contract,
  ContractFactory,
  getCreateAddress,
  JsonRpcProvider,
  type JsonRpcSigner,
  verifyMessage,
  verifyTypedData,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../support/contracts/solidity.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'

const { abi, bytecode } = compile('Probe.sol').get('Probe') ?? { abi: [], bytecode: '0x' as const }

describe('ethers with the unlocked accounts of a development chain', () => {
  const home = makeHome()
  let daemon: Daemon
  let provider: JsonRpcProvider
  let owner: JsonRpcSigner
  let probe: Contract

  beforeAll(async () => {
    daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
    // By default ethers caches responses for a quarter of a second, but the tests repeat requests at once.
    provider = new JsonRpcProvider(daemon.ready.rpc, undefined, {
      pollingInterval: 20,
      cacheTimeout: -1,
    })
    owner = await provider.getSigner(0)
    const factory = new ContractFactory(abi as never, bytecode, owner)
    probe = (await (await factory.deploy()).waitForDeployment()) as Contract
  })

  afterAll(async () => {
    provider?.destroy()
    await daemon?.stop()
    removeHome(home)
  })

  test('lists the accounts', async () => {
    const signers = await provider.listAccounts()
    expect(signers.map(({ address }) => address)).toEqual(
      Array.from({ length: 10 }, (_, i) => devAccount(i).address),
    )
  })

  test('sends from the accounts', async () => {
    const { hash } = await owner.sendTransaction({ to: devAccount(1).address, value: 5n })
    expect(await provider.getTransactionReceipt(hash)).toMatchObject({
      status: 1,
      from: owner.address,
    })
  })

  test('signs with the accounts', async () => {
    expect(verifyMessage('a message', await owner.signMessage('a message'))).toBe(owner.address)
    expect(verifyMessage('a message', await owner._legacySignMessage('a message'))).toBe(
      owner.address,
    )
    const domain = { name: 'Probe', chainId: daemon.ready.chainId }
    const types = {
      Mail: [
        { name: 'to', type: 'address[]' },
        { name: 'text', type: 'string' },
      ],
    }
    const value = { to: [devAccount(1).address], text: 'hello' }
    const signature = await owner.signTypedData(domain, types, value)
    expect(verifyTypedData(domain, types, value, signature)).toBe(owner.address)
  })

  test('decodes why a transaction would fail', async () => {
    const refuse = (what: number) => probe.getFunction('refuse').send(what)
    await expect(refuse(0)).rejects.toMatchObject({ code: 'CALL_EXCEPTION', reason: 'not today' })
    const data = probe.interface.encodeErrorResult('Refused', [owner.address, 1])
    await expect(refuse(1)).rejects.toMatchObject({ code: 'CALL_EXCEPTION', data })
    await expect(probe.getFunction('refuse').staticCall(1)).rejects.toMatchObject({
      revert: { name: 'Refused', args: [owner.address, 1n] },
    })
    await expect(refuse(2)).rejects.toMatchObject({
      code: 'CALL_EXCEPTION',
      reason: 'Panic due to ASSERT_FALSE(1)',
    })
  })

  test('orders concurrent transactions by nonce, and each gets its own block', async () => {
    const from = devAccount(3).address
    const to = devAccount(4).address
    // The provider sends them in one batch. The gas of the first must be estimated, that of the others is given.
    const requests = [
      { from, data: bytecode },
      ...[1, 2, 3, 4].map((value) => ({ from, to, value: `0x${value}`, gas: '0x5208' })),
      { from, to, value: '0x5' },
    ]
    const before = await provider.getBlockNumber()
    const nonce = await provider.getTransactionCount(from)
    const hashes = await Promise.all(
      requests.map((request) => provider.send('eth_sendTransaction', [request])),
    )
    const sent = await Promise.all(hashes.map((hash) => provider.getTransaction(hash)))
    expect(sent.map((transaction) => transaction?.nonce)).toEqual(
      [0, 1, 2, 3, 4, 5].map((later) => nonce + later),
    )
    expect(sent.map((transaction) => transaction?.blockNumber)).toEqual(
      [1, 2, 3, 4, 5, 6].map((height) => before + height),
    )
    const { contractAddress } = (await provider.getTransactionReceipt(hashes[0])) ?? {}
    expect(contractAddress).toBe(getCreateAddress({ from, nonce }))
  })

  test('restores a snapshot', async () => {
    const counts = () => probe.getFunction('counts').staticCall(owner.address)
    const snapshot = await provider.send('evm_snapshot', [])
    await probe.getFunction('count').send()
    expect(await counts()).toBe(1n)
    expect(await provider.send('evm_revert', [snapshot])).toBe(true)
    expect(await counts()).toBe(0n)
    expect(await provider.send('evm_revert', [snapshot])).toBe(false)
  })

  test('receives events of manually mined blocks', async () => {
    await provider.send('evm_setAutomine', [false])
    const seen = new Promise((resolve) =>
      probe.once('Counted', (who, count) => resolve([who, count])),
    )
    // The event filter begins at the block of this request.
    await provider.getBlockNumber()
    await probe.getFunction('count').send()
    await provider.send('evm_mine', [])
    expect(await seen).toEqual([owner.address, 1n])
    await provider.send('evm_setAutomine', [true])
  })
})
