import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type TransactionReceipt,
} from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STAKING_ABI } from '../../host/evm/modules/staking-abi.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

const STAKING: Hex = `0x${'1005'.padStart(40, '0')}`
const WINDOW = 20
/** A validator must sign six blocks of the window: one that is only slow stays. */
const MOST_MISSED = 14
const JAIL_SECONDS = 3
const DOWNTIME = {
  signed_blocks_window: `${WINDOW}`,
  min_signed_per_window: '0.3',
  downtime_jail_duration: `${JAIL_SECONDS}s`,
}

if (COMETBFT === undefined) console.log('skipped: LOCKSTEP_COMETBFT names no cometbft')

describe.skipIf(COMETBFT === undefined)('a network that jails for downtime', () => {
  let network: TestNetwork
  /** Consensus address of the last validator, in upper-case hex. */
  let address: string

  beforeAll(async () => {
    network = await makeNetwork({
      validators: 4,
      full: 1,
      settings: { 'consensus.block-time': '300ms' },
    })
    for (const { home } of network.nodes) {
      const path = join(home, 'config/genesis.json')
      const genesis = JSON.parse(readFileSync(path, 'utf8'))
      genesis.app_state.evm.staking.downtime = DOWNTIME
      writeFileSync(path, JSON.stringify(genesis))
    }
    const key = readFileSync(join(last().home, 'config/priv_validator_key.json'), 'utf8')
    address = JSON.parse(key).address
    await network.start(network.validators)
  }, 300_000)

  afterAll(async () => {
    await network?.close()
  })

  const first = () => network.node('validator-1')
  const last = () => network.node('validator-4')
  const clientOf = (node: NetworkNode) =>
    createPublicClient({
      chain: foundry,
      transport: http(node.rpc),
      pollingInterval: 50,
      cacheTime: 0,
    })

  interface Block {
    readonly block: {
      readonly last_commit: {
        readonly signatures: readonly { readonly validator_address: string }[]
      }
    }
  }

  /** Returns true if the last commit in a block has a vote of the last validator. */
  async function hasVote(height: number): Promise<boolean> {
    await network.untilHeight(height, [first()])
    const { block } = await first().ask<Block>(`/block?height=${height}`)
    return block.last_commit.signatures.some((vote) => vote.validator_address === address)
  }

  async function powersAt(height: number): Promise<number[]> {
    await network.untilHeight(height - 1, [first()])
    type Set = { readonly validators: readonly { readonly voting_power: string }[] }
    const { validators } = await first().ask<Set>(`/validators?height=${height}`)
    return validators.map(({ voting_power }) => Number(voting_power))
  }

  /** Returns start, missed blocks, end of the jail and whether it is for good, after a block. */
  const infoAt = (node: NetworkNode, height: number) =>
    clientOf(node).readContract({
      address: STAKING,
      abi: STAKING_ABI,
      functionName: 'signingInfo',
      args: [devAccount(3).address],
      blockNumber: BigInt(height),
    })

  async function unjail(): Promise<TransactionReceipt> {
    const wallet = createWalletClient({
      account: devAccount(3),
      chain: foundry,
      transport: http(first().rpc),
    })
    const data = encodeFunctionData({ abi: STAKING_ABI, functionName: 'unjail' })
    const hash = await wallet.sendTransaction({ to: STAKING, data, gas: 1_000_000n })
    return clientOf(first()).waitForTransactionReceipt({ hash, timeout: 120_000 })
  }

  test('jails a stopped validator at the exact height, takes it back by unjail, and all nodes agree', async () => {
    await network.untilHeight(WINDOW + 5, network.validators)
    await last().stop()

    // The rule, over the commits of the chain itself. The first block has no last commit.
    const votes = new Map<number, boolean>()
    const missedAt = (height: number) =>
      [...votes].filter(([at, voted]) => at > height - WINDOW && !voted).length
    let jailed = 1
    do {
      jailed++
      votes.set(jailed, await hasVote(jailed))
    } while (missedAt(jailed) <= MOST_MISSED || jailed <= 2 + WINDOW)

    expect(await powersAt(jailed + 1)).toEqual([10, 10, 10, 10])
    expect(await powersAt(jailed + 2)).toEqual([10, 10, 10])
    const { timestamp } = await clientOf(first()).getBlock({ blockNumber: BigInt(jailed) })
    const before = [2n, BigInt(MOST_MISSED), 0n, false]
    const after = [0n, 0n, timestamp + BigInt(JAIL_SECONDS), false]
    expect(await infoAt(first(), jailed - 1)).toEqual(before)
    expect(await infoAt(first(), jailed)).toEqual(after)

    // The validator itself executes what it missed, and the full node everything from the first block
    await last().start()
    await network.node('full-1').start()
    const ends = timestamp + BigInt(JAIL_SECONDS)
    await network.until('the end of the jail', async () => {
      const block = await clientOf(first()).getBlock()
      return block.timestamp >= ends
    })
    const { status, blockNumber } = await unjail()
    expect(status).toBe('success')
    const freed = Number(blockNumber)
    expect(await powersAt(freed + 1)).toEqual([10, 10, 10])
    expect(await powersAt(freed + 2)).toEqual([10, 10, 10, 10])
    let signed = freed + 3
    while (!(await hasVote(signed))) signed++

    // A restart reads the same record as a node that never stopped
    await first().stop()
    await first().start()
    await network.untilHeight(signed + 1)
    for (const height of [jailed - 1, jailed, jailed + 2, freed, signed]) {
      expect(await network.views(height), `height ${height}`).toHaveLength(1)
      const wanted = await infoAt(first(), height)
      for (const node of network.nodes)
        expect(await infoAt(node, height), node.name).toEqual(wanted)
    }
    expect((await infoAt(first(), signed))[0]).toBe(BigInt(freed + 3))
    expect((await unjail()).status).toBe('reverted')
  }, 480_000)
})
