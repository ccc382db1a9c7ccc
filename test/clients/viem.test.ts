import {
  BaseError,
  type Chain,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  decodeEventLog,
  encodeFunctionData,
  getContractAddress,
  http,
  type PublicClient,
  type WalletClient,
  webSocket,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../support/contracts/solidity.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { viemChain } from '../support/node/viem-chain.ts'

const { abi, bytecode } = compile('Token.sol').get('Token') ?? { abi: [], bytecode: '0x' as const }
const SUPPLY = 1_000_000_000n
const owner = devAccount(0)
const friend = devAccount(1)

describe('viem against the daemon', () => {
  const home = makeHome()
  let daemon: Daemon
  let client: PublicClient
  let wallet: WalletClient
  let chain: Chain
  let token: `0x${string}`

  beforeAll(async () => {
    daemon = await startDaemon({ home })
    chain = viemChain(daemon.ready)
    client = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
    wallet = createWalletClient({ chain, transport: http(), account: owner })
  }, 60_000)

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  test('deploys an ERC-20', async () => {
    const hash = await wallet.deployContract({
      abi,
      bytecode,
      args: [SUPPLY],
      chain,
      account: owner,
    })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect(receipt.contractAddress?.toLowerCase()).toBe(
      getContractAddress({ from: owner.address, nonce: 0n }).toLowerCase(),
    )
    token = receipt.contractAddress as `0x${string}`
    expect(
      await client.readContract({
        address: token,
        abi,
        functionName: 'balanceOf',
        args: [owner.address],
      }),
    ).toBe(SUPPLY)
  })

  test('transfers, and reads receipt, log and balances', async () => {
    const hash = await wallet.writeContract({
      address: token,
      abi,
      functionName: 'transfer',
      args: [friend.address, 250n],
      chain,
      account: owner,
    })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect(receipt.to?.toLowerCase()).toBe(token.toLowerCase())
    expect(receipt.logs).toHaveLength(1)
    const event = decodeEventLog({ abi, ...(receipt.logs[0] as (typeof receipt.logs)[number]) })
    expect(event).toEqual({
      eventName: 'Transfer',
      args: { from: owner.address, to: friend.address, value: 250n },
    })
    const logs = await client.getContractEvents({
      address: token,
      abi,
      eventName: 'Transfer',
      fromBlock: 0n,
      args: { to: friend.address },
    })
    expect(logs.map((log) => log.transactionHash)).toEqual([hash])
    const balances = await Promise.all(
      [owner.address, friend.address].map((account) =>
        client.readContract({ address: token, abi, functionName: 'balanceOf', args: [account] }),
      ),
    )
    expect(balances).toEqual([SUPPLY - 250n, 250n])
  })

  test('reads the balance before the transfer', async () => {
    const [transfer] = await client.getContractEvents({
      address: token,
      abi,
      eventName: 'Transfer',
      fromBlock: 0n,
      args: { to: friend.address },
    })
    const balanceAt = (blockNumber: bigint): Promise<unknown> =>
      client.readContract({
        address: token,
        abi,
        functionName: 'balanceOf',
        args: [friend.address],
        blockNumber,
      })
    const height = transfer?.blockNumber as bigint
    expect(await balanceAt(height - 1n)).toBe(0n)
    expect(await balanceAt(height)).toBe(250n)
  })

  test('simulates blocks of calls that build on each other', async () => {
    const transfer = { to: token, abi, functionName: 'transfer', account: friend } as const
    const balance = { to: token, abi, functionName: 'balanceOf', args: [owner.address] } as const
    const [first, second] = await client.simulateBlocks({
      traceTransfers: true,
      blocks: [
        {
          calls: [
            { account: friend, to: owner.address, value: 5n },
            { ...transfer, args: [owner.address, 50n] },
            { ...transfer, args: [owner.address, 201n] },
          ],
        },
        { calls: [balance] },
      ],
    })
    expect(first?.calls.map(({ status }) => status)).toEqual(['success', 'success', 'failure'])
    expect(first?.calls[0]?.logs?.[0]?.address).toBe(`0x${'ee'.repeat(20)}`)
    expect(first?.calls[2]?.error).toBeInstanceOf(BaseError)
    expect(second).toMatchObject({ parentHash: first?.hash, number: (first?.number ?? 0n) + 1n })
    const before = await client.readContract({
      address: token,
      abi,
      functionName: 'balanceOf',
      args: [owner.address],
    })
    expect(second?.calls[0]?.result).toBe((before as bigint) + 50n)
  })

  test('decodes a revert with a reason', async () => {
    const failure = await client
      .simulateContract({
        address: token,
        abi,
        functionName: 'transferFrom',
        args: [owner.address, friend.address, 1n],
        account: friend,
      })
      .catch((error: BaseError) => error.walk((e) => e instanceof ContractFunctionRevertedError))
    expect((failure as ContractFunctionRevertedError).reason).toBe('allowance exceeded')
  })

  test('decodes a revert with a custom error', async () => {
    const failure = await client
      .simulateContract({
        address: token,
        abi,
        functionName: 'transfer',
        args: [owner.address, 251n],
        account: friend,
      })
      .catch((error: BaseError) => error.walk((e) => e instanceof ContractFunctionRevertedError))
    expect((failure as ContractFunctionRevertedError).data).toMatchObject({
      errorName: 'InsufficientBalance',
      args: [friend.address, 250n, 251n],
    })
  })

  test('traces a reverted transaction with error, output and reason', async () => {
    const data = encodeFunctionData({
      abi,
      functionName: 'transferFrom',
      args: [owner.address, friend.address, 1n],
    })
    const hash = await wallet.sendTransaction({
      to: token,
      data,
      gas: 100_000n,
      account: owner,
      chain,
    })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('reverted')
    const frame = await client.request<{
      Method: 'debug_traceTransaction'
      Parameters: [`0x${string}`, object]
      ReturnType: Record<string, unknown>
    }>({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
    })
    expect(frame).toMatchObject({
      type: 'CALL',
      from: owner.address.toLowerCase(),
      to: token.toLowerCase(),
      gas: '0x186a0',
      gasUsed: `0x${receipt.gasUsed.toString(16)}`,
      input: data,
      error: 'execution reverted',
      revertReason: 'allowance exceeded',
    })
    expect(frame.output).toMatch(/^0x08c379a0/)
  })

  test('estimates sufficient gas and an access list', async () => {
    const call = {
      account: owner,
      to: token,
      data: encodeFunctionData({ abi, functionName: 'transfer', args: [friend.address, 1n] }),
    }
    const gas = await client.estimateGas(call)
    const { accessList } = await client.createAccessList(call)
    expect(accessList.map((entry) => entry.address.toLowerCase())).toEqual([token.toLowerCase()])
    const hash = await wallet.sendTransaction({ ...call, gas, chain })
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
  })

  test('receives new heads over a WebSocket, each the child of the previous one', async () => {
    const socket = createPublicClient({ chain, transport: webSocket() })
    const heads: { hash: unknown; parentHash: unknown }[] = []
    await new Promise<void>((resolve, reject) => {
      const stop = socket.watchBlocks({
        onError: reject,
        onBlock: (block) => {
          heads.push(block)
          if (heads.length < 3) return
          stop()
          resolve()
        },
      })
    })
    for (const [index, head] of heads.slice(1).entries()) {
      expect(head.parentHash).toBe(heads[index]?.hash)
    }
    ;(await socket.transport.getRpcClient()).close()
  })
})
