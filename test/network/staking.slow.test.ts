import { join } from 'node:path'
import {
  createPublicClient,
  createWalletClient,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
} from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKey } from '../../host/chain/consensus/comet/ed25519.ts'
import { cometAddress } from '../../host/chain/consensus/comet/validator-set.ts'
import { writeValidatorKey } from '../../host/chain/consensus/validator/key-file.ts'
import { STAKING_ABI } from '../../host/evm/modules/staking-abi.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { doubleVote } from './nodes/double-vote.ts'
import { startNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

const STAKING: Hex = `0x${'1005'.padStart(40, '0')}`
const BANK: Hex = `0x${'1001'.padStart(40, '0')}`
const BANK_ABI = parseAbi(['function supply(string denom) view returns (uint256)'])
/** Wei for one unit of voting power. */
const POWER = 10n ** 18n

if (COMETBFT === undefined) console.log('skipped: LOCKSTEP_COMETBFT names no cometbft')

describe.skipIf(COMETBFT === undefined)('the validator set of a network', () => {
  let network: TestNetwork
  let joiner: NetworkNode
  const key = generateKey()

  beforeAll(async () => {
    network = await startNetwork({
      powers: [10, 10, 10, 10],
      full: 1,
      settings: { 'consensus.block-time': '300ms' },
    })
    joiner = network.node('full-1')
    await network.untilHeight(3)
  }, 300_000)

  afterAll(async () => {
    await network?.close()
  })

  const first = () => network.node('validator-1')
  const clientOf = (node: NetworkNode) =>
    createPublicClient({
      chain: foundry,
      transport: http(node.rpc),
      pollingInterval: 50,
      cacheTime: 0,
    })

  type Set = { readonly validators: readonly { readonly voting_power: string }[] }

  /** Returns the voting powers at a height, after the chain knows them. */
  async function powersAt(height: number): Promise<number[]> {
    // The validator set of a height is determined two blocks before
    await network.untilHeight(height - 1, [first()])
    const { validators } = await first().ask<Set>(`/validators?height=${height}`)
    return validators.map(({ voting_power }) => Number(voting_power))
  }

  type Call = Parameters<typeof encodeFunctionData<typeof STAKING_ABI>>[0]

  /** Sends a staking call, which must succeed. Returns the height of its block. */
  async function stake(from: number, call: Omit<Call, 'abi'>, value = 0n): Promise<number> {
    const account = devAccount(from)
    const transport = http(joiner.isRunning ? joiner.rpc : first().rpc)
    const wallet = createWalletClient({ account, chain: foundry, transport })
    const data = encodeFunctionData({ abi: STAKING_ABI, ...call } as Call)
    const hash = await wallet.sendTransaction({ to: STAKING, data, value, gas: 2_000_000n })
    const client = clientOf(first())
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 120_000 })
    expect(receipt.status).toBe('success')
    return Number(receipt.blockNumber)
  }

  type Block = {
    readonly block: {
      readonly evidence: { readonly evidence: readonly unknown[] }
      readonly last_commit: {
        readonly signatures: readonly { readonly validator_address: string }[]
      }
    }
  }
  const blockAt = async (height: number) => {
    await network.untilHeight(height, [first()])
    return first().ask<Block>(`/block?height=${height}`)
  }

  /** Submits evidence of a validator's double vote at a height. Returns the height of the block with it. */
  async function prove(offender: NetworkNode, height: number): Promise<number> {
    const evidence = await doubleVote(offender, height)
    let at = Number(await clientOf(first()).getBlockNumber())
    const response = await fetch(first().consensus, {
      method: 'POST',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'broadcast_evidence',
        params: { evidence },
      }),
    })
    expect(await response.json()).toMatchObject({ result: { hash: expect.any(String) } })
    while ((await blockAt(at)).block.evidence.evidence.length === 0) at++
    return at
  }

  const balanceAt = (node: NetworkNode, height: number) =>
    clientOf(node).getBalance({ address: STAKING, blockNumber: BigInt(height) })
  const supplyAt = (node: NetworkNode, height: number) =>
    clientOf(node).readContract({
      address: BANK,
      abi: BANK_ABI,
      functionName: 'supply',
      args: ['usei'],
      blockNumber: BigInt(height),
    })

  /** Keeps sending transactions that read an operator's own delegation, so that each block has some. */
  function askOn(operator: Hex): { stop(): Promise<void> } {
    const account = devAccount(7)
    const wallet = createWalletClient({ account, chain: foundry, transport: http(first().rpc) })
    const args = [operator, operator] as const
    const data = encodeFunctionData({ abi: STAKING_ABI, functionName: 'delegation', args })
    let isAsking = true
    const asking = (async () => {
      for (let nonce = 0; isAsking; nonce++) {
        await wallet.sendTransaction({ to: STAKING, data, nonce, gas: 200_000n })
      }
    })()
    return {
      stop: () => {
        isAsking = false
        return asking
      },
    }
  }

  /** Returns the value of the delegation that the first transaction of a block read, from its trace. */
  async function tracedWorth(node: NetworkNode, height: number): Promise<bigint> {
    const client = clientOf(node)
    const { transactions } = await client.getBlock({ blockNumber: BigInt(height) })
    const trace = await client.request({
      method: 'debug_traceTransaction' as never,
      params: [transactions[0], { tracer: 'callTracer' }] as never,
    })
    const { output: data } = trace as { output: Hex }
    const delegation = decodeFunctionResult({ abi: STAKING_ABI, functionName: 'delegation', data })
    return delegation.balance.amount
  }

  test('grows by a created validator, which votes and signs two heights later', async () => {
    const publicKey: Hex = `0x${Buffer.from(key.publicKey).toString('hex')}`
    const created = await stake(
      5,
      {
        functionName: 'createValidator',
        args: [publicKey, 'joiner', '0.1', '1', '0.1', 1n],
      },
      5n * POWER,
    )
    expect(await powersAt(created + 1)).toEqual([10, 10, 10, 10])
    expect(await powersAt(created + 2)).toEqual([10, 10, 10, 10, 5])

    await joiner.stop()
    await writeValidatorKey(join(joiner.home, 'config/priv_validator_key.json'), key)
    await joiner.start(['--mode', 'validator'])
    const address = Buffer.from(cometAddress(key.publicKey)).toString('hex').toUpperCase()
    let height = created + 2
    for (;;) {
      const { signatures } = (await blockAt(++height)).block.last_commit
      if (signatures.some((signature) => signature.validator_address === address)) break
    }
  })

  test('shrinks by a validator whose stake is removed, two heights later', async () => {
    const left = await stake(5, {
      functionName: 'undelegate',
      args: [devAccount(5).address, 5_000_000n],
    })
    expect(await powersAt(left + 1)).toEqual([10, 10, 10, 10, 5])
    expect(await powersAt(left + 2)).toEqual([10, 10, 10, 10])
  })

  test('loses a validator that votes twice at a height, which is slashed and jailed once and alike on all nodes', async () => {
    const offender = network.node('validator-4')
    const delegated = await stake(
      6,
      { functionName: 'delegate', args: [devAccount(3).address] },
      2n * POWER,
    )
    await network.untilHeight(delegated + 4, [first()])
    const asking = askOn(devAccount(3).address)
    const proven = await prove(offender, delegated + 3)
    // The system call of the next block burns a twentieth of 12 million, and consensus gets the new power with that
    // block
    expect(await powersAt(proven + 2)).toEqual([12, 10, 10, 10])
    expect(await powersAt(proven + 3)).toEqual([10, 10, 10])
    await network.untilHeight(proven + 3)
    await asking.stop()
    for (const node of network.nodes) {
      const [before, after] = [await balanceAt(node, proven), await balanceAt(node, proven + 1)]
      expect(before - after, node.name).toBe((12n * POWER) / 20n)
      const supplies = [await supplyAt(node, proven), await supplyAt(node, proven + 1)] as const
      expect(supplies[0] - supplies[1], node.name).toBe(600_000n)
    }

    const again = await prove(offender, delegated + 2)
    await network.untilHeight(again + 3)
    expect(await balanceAt(first(), again + 1)).toBe(await balanceAt(first(), proven + 1))
    expect(await powersAt(again + 3)).toEqual([10, 10, 10])
    for (const height of [proven, proven + 1, proven + 2, again + 2]) {
      expect(await network.views(height), `height ${height}`).toHaveLength(1)
    }
    // A replay of the blocks gives the same: the slashing belongs to the second one
    for (const node of network.nodes) {
      expect(await tracedWorth(node, proven), node.name).toBe(10_000_000n)
      expect(await tracedWorth(node, proven + 1), node.name).toBe(9_500_000n)
    }
  }, 240_000)
})
