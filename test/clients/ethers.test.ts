import {
  Contract,
  ContractFactory,
  HDNodeWallet,
  isError,
  JsonRpcProvider,
  Mnemonic,
  NonceManager,
  WebSocketProvider,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../support/contracts/solidity.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'

const { abi, bytecode } = compile('Token.sol').get('Token') ?? { abi: [], bytecode: '0x' as const }
const mnemonic = Mnemonic.fromPhrase('test test test test test test test test test test test junk')

describe('ethers against the daemon', () => {
  const home = makeHome()
  let daemon: Daemon
  let provider: JsonRpcProvider
  let owner: NonceManager
  let friend: HDNodeWallet
  let token: Contract

  beforeAll(async () => {
    daemon = await startDaemon({ home })
    provider = new JsonRpcProvider(daemon.ready.rpc, undefined, { pollingInterval: 50 })
    owner = new NonceManager(HDNodeWallet.fromMnemonic(mnemonic).connect(provider))
    friend = HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'/0'/0/1").connect(provider)
  }, 60_000)

  afterAll(async () => {
    provider?.destroy()
    await daemon?.stop()
    removeHome(home)
  })

  test('deploys an ERC-20', async () => {
    const deployed = await new ContractFactory(abi as never, bytecode, owner).deploy(5_000n)
    await deployed.waitForDeployment()
    token = new Contract(await deployed.getAddress(), abi as never, owner)
    expect(await token.getFunction('totalSupply')()).toBe(5_000n)
  })

  test('transfers, and reads the log from receipt and query', async () => {
    const sent = await token.getFunction('transfer')(friend.address, 40n)
    const receipt = await sent.wait()
    expect(receipt.status).toBe(1)
    const [found] = await token.queryFilter(token.getEvent('Transfer')(null, friend.address), 0)
    expect(found?.transactionHash).toBe(receipt.hash)
    expect(found?.index).toBe(receipt.logs[0].index)
    expect(token.interface.parseLog(receipt.logs[0])?.args.toObject()).toEqual({
      from: await owner.getAddress(),
      to: friend.address,
      value: 40n,
    })
  })

  test('decodes a revert with a reason and one with a custom error', async () => {
    const asFriend = token.connect(friend) as Contract
    const reason = await asFriend
      .getFunction('transferFrom')
      .staticCall(await owner.getAddress(), friend.address, 1n)
      .catch((error: unknown) => error)
    expect(isError(reason, 'CALL_EXCEPTION') && reason.reason).toBe('allowance exceeded')
    const custom = await asFriend
      .getFunction('transfer')
      .staticCall(friend.address, 41n)
      .catch((error: unknown) => error)
    expect(isError(custom, 'CALL_EXCEPTION') && custom.revert).toMatchObject({
      name: 'InsufficientBalance',
    })
    expect(isError(custom, 'CALL_EXCEPTION') && [...(custom.revert?.args ?? [])]).toEqual([
      friend.address,
      40n,
      41n,
    ])
  })

  test('reports a panic', async () => {
    const failure = await token
      .getFunction('burnTooMuch')
      .staticCall()
      .catch((error: unknown) => error)
    expect(isError(failure, 'CALL_EXCEPTION') && failure.revert?.args[0]).toBe(0x11)
  })

  test('subscribes to heads and to logs over a WebSocket', async () => {
    const socket = new WebSocketProvider(daemon.ready.ws)
    const numbers: number[] = []
    const heads = new Promise<void>((resolve) => {
      socket.on('block', (number: number) => {
        numbers.push(number)
        if (numbers.length === 3) resolve()
      })
    })
    const listening = token.connect(socket) as Contract
    const seen = new Promise<bigint>((resolve) => {
      listening.on('Transfer', (_from, _to, value: bigint) => resolve(value))
    })
    await heads
    await (await token.getFunction('transfer')(friend.address, 7n)).wait()
    expect(await seen).toBe(7n)
    expect(numbers[1]).toBe((numbers[0] as number) + 1)
    await socket.destroy()
  })

  test('reads the block, the sender and the gas of a plain transfer', async () => {
    const sent = await friend.sendTransaction({ to: await owner.getAddress(), value: 3n })
    const receipt = await sent.wait()
    expect(receipt?.gasUsed).toBe(21_000n)
    expect(receipt?.from).toBe(friend.address)
    const block = await provider.getBlock(receipt?.blockNumber as number, true)
    expect(block?.transactions).toContain(sent.hash)
  })
})
