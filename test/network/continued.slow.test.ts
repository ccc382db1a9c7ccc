import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  createPublicClient,
  createWalletClient,
  http,
  parseAbi,
  parseEther,
  publicActions,
} from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hexDigits } from '../../host/base/hex.ts'
import { readValidatorKey } from '../../host/chain/consensus/validator/key-file.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

const STAKING = '0x0000000000000000000000000000000000001005'
const CREATE = parseAbi([
  'function createValidator(string,string,string,string,string,uint256) payable returns (bool)',
])

interface Document {
  readonly initial_height: string
  readonly app_hash: string
  readonly genesis_time: string
  readonly validators: readonly { readonly address: string; readonly power: string }[]
}

interface Header {
  readonly app_hash: string
  readonly time: string
}

const walletOf = (rpc: string, index: number) =>
  createWalletClient({
    account: devAccount(index),
    chain: foundry,
    transport: http(rpc),
    pollingInterval: 20,
    cacheTime: 0,
  }).extend(publicActions)

/** Runs a command, which must succeed. Returns its standard output. */
async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args)
  if (code !== 0) throw new Error(`lockstep ${args.join(' ')}: ${code}\n${stderr}`)
  return stdout
}

describe.skipIf(COMETBFT === undefined)('a chain that one validator started', () => {
  let home: string
  let network: TestNetwork

  beforeAll(async () => {
    home = makeHome()
    network = await makeNetwork({ validators: 4, settings: { 'consensus.block-time': '200ms' } })
  })
  afterAll(async () => {
    await network.close()
    removeHome(home)
  })

  /** Makes blocks with one validator, in which the other nodes of the network receive their stake. */
  async function beginEmbedded(joining: readonly NetworkNode[]) {
    const one = await startDaemon({ home, arguments: ['--consensus.block-time', '100ms'] })
    for (const [i, node] of joining.entries()) {
      const { publicKey } = await readValidatorKey(
        join(node.home, 'config/priv_validator_key.json'),
      )
      const wallet = walletOf(one.ready.rpc, i + 1)
      const hash = await wallet.writeContract({
        address: STAKING,
        abi: CREATE,
        functionName: 'createValidator',
        args: [hexDigits(publicKey), node.name, '0.1', '0.2', '0.01', 1n],
        value: parseEther('10'),
      })
      const { status } = await wallet.waitForTransactionReceipt({ hash })
      expect(status).toBe('success')
    }
    const wallet = walletOf(one.ready.rpc, 0)
    const hash = await wallet.sendTransaction({ to: devAccount(9).address, value: 7n })
    await wallet.waitForTransactionReceipt({ hash })
    expect(await one.stop()).toBe(0)
    return hash
  }

  test('continues with four validators under CometBFT, with the same state and blocks', {
    timeout: 240_000,
  }, async () => {
    const [first, ...others] = network.nodes as [NetworkNode, ...NetworkNode[]]
    const transfer = await beginEmbedded(others)

    const path = join(home, 'continued.json')
    await run('genesis', 'export', '--home', home, '--out', path)
    const text = readFileSync(path, 'utf8')
    expect(await run('genesis', 'export', '--home', home)).toBe(text)
    const document = JSON.parse(text) as Document
    const height = Number(document.initial_height) - 1
    expect(height).toBeGreaterThan(3)
    expect(document.app_hash).toMatch(/^[0-9A-F]{64}$/)
    expect(document.validators.map(({ power }) => power)).toEqual(['10', '10', '10', '10'])
    const snapshot = (await run('snapshot', 'export', '--home', home)).trim()

    // The home that made the blocks continues as it is. The others import its state.
    for (const name of ['data', 'config/priv_validator_key.json']) {
      rmSync(join(first.home, name), { recursive: true })
      cpSync(join(home, name), join(first.home, name), { recursive: true })
    }
    for (const node of network.nodes) cpSync(path, join(node.home, 'config/genesis.json'))
    for (const node of others) {
      await run('snapshot', 'import', snapshot, '--home', node.home, '--mode', 'validator')
    }
    await network.start()
    await network.untilHeight(height + 3)

    expect(await network.views(height + 1)).toHaveLength(1)
    const { block } = await first.ask<{ block: { header: Header } }>(`/block?height=${height + 1}`)
    const { app_hash, time } = block.header
    expect([app_hash, time]).toEqual([document.app_hash, document.genesis_time])
    const { validators } = await first.ask<{ validators: unknown[] }>('/validators')
    expect(validators).toHaveLength(4)

    // Clients see one chain: all earlier blocks are there, and the new ones follow them.
    for (const node of network.nodes) {
      const client = createPublicClient({ chain: foundry, transport: http(node.rpc) })
      const [parent, next] = await Promise.all([
        client.getBlock({ blockNumber: BigInt(height) }),
        client.getBlock({ blockNumber: BigInt(height + 1) }),
      ])
      expect(next.parentHash, node.name).toBe(parent.hash)
      expect(next.timestamp).toBeGreaterThanOrEqual(parent.timestamp)
      const receipt = await client.getTransactionReceipt({ hash: transfer })
      expect(receipt.status).toBe('success')
      expect(await client.getBalance({ address: devAccount(9).address })).toBe(
        parseEther('10000') + 7n,
      )
    }
    const wallet = walletOf((others.at(-1) as NetworkNode).rpc, 0)
    const hash = await wallet.sendTransaction({ to: devAccount(9).address, value: 1n })
    const { blockNumber } = await wallet.waitForTransactionReceipt({ hash })
    await network.untilHeight(Number(blockNumber))
    expect(await network.views(Number(blockNumber))).toHaveLength(1)
  })

  test('is refused by the other engine, and by CometBFT in a home without its data', async () => {
    const [first, second] = network.nodes as [NetworkNode, NetworkNode]
    await first.stop()
    cpSync(join(home, 'continued.json'), join(home, 'config/genesis.json'))
    await expect(startDaemon({ home })).rejects.toThrow(
      /genesis\.json continues a chain at height \d+ under CometBFT/,
    )
    await second.stop()
    second.wipe()
    await expect(second.start(['--mode', 'full'])).rejects.toThrow(
      /genesis\.json continues a chain after height \d+, but this home has none of its state/,
    )
  })
})
