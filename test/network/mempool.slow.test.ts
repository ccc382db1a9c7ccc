import { createPublicClient, createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { startNetwork, type TestNetwork } from '../support/network/network.ts'
import type { NetworkNode } from '../support/network/network-node.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { devAccount } from '../support/node/dev-wallet.ts'

const GWEI = 10n ** 9n
/** Transactions of one sender. */
const FLOOD = 1_000
const timeout = 240_000

const transportOf = (node: NetworkNode) => http(node.rpc, { retryCount: 0 })

const clientOf = (node: NetworkNode) =>
  createPublicClient({
    chain: foundry,
    transport: transportOf(node),
    pollingInterval: 50,
    cacheTime: 0,
  })

const walletOf = (node: NetworkNode, index: number) =>
  createWalletClient({
    account: devAccount(index),
    chain: foundry,
    transport: transportOf(node),
    pollingInterval: 50,
    cacheTime: 0,
  }).extend(publicActions)

/** A signed transfer of an account of the development chain. */
const transfer = (from: number, nonce: number, tip = GWEI): Promise<Hex> =>
  devAccount(from).signTransaction({
    type: 'eip1559',
    chainId: foundry.id,
    nonce,
    gas: 21_000n,
    maxFeePerGas: 50n * tip,
    maxPriorityFeePerGas: tip,
    to: devAccount(9).address,
    value: 1n,
  }) as Promise<Hex>

describe.skipIf(COMETBFT === undefined)('the pools of a network', () => {
  let network: TestNetwork
  let validators: readonly [NetworkNode, NetworkNode]
  let full: NetworkNode

  beforeAll(async () => {
    network = await startNetwork({
      validators: 2,
      full: 1,
      settings: { 'consensus.block-time': '300ms' },
    })
    validators = network.validators as [NetworkNode, NetworkNode]
    full = network.node('full-1')
    await network.untilHeight(1)
  }, timeout)
  afterAll(() => network?.close())

  const send = (node: NetworkNode, serializedTransaction: Hex) =>
    clientOf(node).sendRawTransaction({ serializedTransaction })
  const receiptOf = (hash: Hex, node: NetworkNode = full) =>
    clientOf(node).waitForTransactionReceipt({ hash, timeout: 60_000 })
  const inGossip = async (node: NetworkNode) =>
    Number((await node.ask<{ n_txs: string }>('/num_unconfirmed_txs')).n_txs)

  test('what waits for a nonce waits where it was sent, and goes out once that comes by any node', {
    timeout,
  }, async () => {
    const second = await send(full, await transfer(1, 1))
    await network.untilHeight((await network.height()) + 2)
    for (const node of network.nodes) expect(await inGossip(node), node.name).toBe(0)
    const first = await send(validators[0], await transfer(1, 0))
    expect((await receiptOf(first)).status).toBe('success')
    expect((await receiptOf(second)).status).toBe('success')
  })

  test('what was replaced at one node leaves the gossip of all', { timeout }, async () => {
    // Behind a gap at the full node alone, so that no block takes them before the replacement has come.
    const old = await send(full, await transfer(2, 1))
    const better = await send(full, await transfer(2, 1, 3n * GWEI))
    await send(validators[1], await transfer(2, 0))
    expect((await receiptOf(better)).status).toBe('success')
    await network.until('empty gossip', async () => {
      const sizes = await Promise.all(network.nodes.map(inGossip))
      return sizes.every((size) => size === 0)
    })
    await expect(clientOf(full).getTransactionReceipt({ hash: old })).rejects.toThrow()
  })

  test('a flood of one sender at a full node keeps nobody else out, and all of it comes', {
    timeout,
  }, async () => {
    const raws = await Promise.all(Array.from({ length: FLOOD }, (_, nonce) => transfer(3, nonce)))
    const hashes: Hex[] = []
    const flood = (async () => {
      for (let at = 0; at < raws.length; at += 50) {
        hashes.push(...(await Promise.all(raws.slice(at, at + 50).map((raw) => send(full, raw)))))
      }
    })()
    // Those who cannot pay, and what is no transaction.
    const poor = privateKeyToAccount(`0x${'77'.repeat(32)}`)
    const unfunded = (nonce: number) =>
      poor.signTransaction({
        type: 'eip1559',
        chainId: foundry.id,
        nonce,
        gas: 21_000n,
        maxFeePerGas: 50n * GWEI,
        to: poor.address,
      })
    for (let i = 0; i < 50; i++) {
      await expect(send(full, await unfunded(i))).rejects.toThrow('insufficient funds')
    }
    const other = await walletOf(full, 4).sendTransaction({ to: devAccount(9).address, value: 1n })
    expect((await receiptOf(other)).status).toBe('success')
    await flood
    for (const hash of [hashes[0], hashes[FLOOD / 2], hashes.at(-1)]) {
      expect((await receiptOf(hash as Hex)).status).toBe('success')
    }
    const count = await clientOf(full).getTransactionCount({ address: devAccount(3).address })
    expect(count).toBe(FLOOD)
  })

  test('what a full node has acknowledged is in a block after it was killed at once', {
    timeout,
  }, async () => {
    const hash = await send(full, await transfer(5, 0))
    await full.kill()
    await full.start()
    expect((await receiptOf(hash)).status).toBe('success')
    expect(await network.views(Number((await receiptOf(hash)).blockNumber))).toHaveLength(1)
  })
})
