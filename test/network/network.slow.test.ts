import { createHash } from 'node:crypto'
import { createPublicClient, createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call, post } from '../support/node/json-rpc.ts'
import {
  callsOf,
  ethersSender,
  payee,
  revertsOf,
  type Sender,
  viemSender,
} from './nodes/client-load.ts'
import { startNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

const ACCOUNTS = 10
const PER_ACCOUNT = 150
const GWEI = 10n ** 9n
/** Transactions of the sender that floods a node. */
const FLOOD = 300
const CHAIN_ID = 31_337

/** Each account has its own client, connected to one node. */
const CLIENTS: readonly { readonly node: string; readonly sender: typeof viemSender }[] = [
  { node: 'validator-1', sender: viemSender },
  { node: 'validator-2', sender: ethersSender },
  { node: 'validator-3', sender: viemSender },
  { node: 'validator-4', sender: ethersSender },
  { node: 'full-1', sender: viemSender },
  { node: 'full-2', sender: ethersSender },
  { node: 'full-1', sender: ethersSender },
  { node: 'full-2', sender: viemSender },
  { node: 'validator-1', sender: ethersSender },
  { node: 'validator-4', sender: viemSender },
]

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

/** Signs a transfer of an account. `nonce` counts from the account's first one after the load of the ten clients. */
const transfer = (from: number, nonce: number, tip = GWEI): Promise<Hex> =>
  signDynamicFee(from, {
    nonce: PER_ACCOUNT + nonce,
    maxFeePerGas: 100n * tip,
    maxPriorityFeePerGas: tip,
    to: devAccount(9).address,
    value: 1n,
  })

const hex = (value: number): Hex => `0x${value.toString(16)}`

describe.skipIf(COMETBFT === undefined)(
  'four validators and two full nodes (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    let network: TestNetwork
    /** Height of the last block with any of the transactions. */
    let last = 0

    beforeAll(async () => {
      network = await startNetwork({
        validators: 4,
        full: 2,
        settings: { 'log-level': 'warn' },
        // Nodes with different storage settings must agree on all hashes.
        settingsOf: {
          'full-1': { 'state-store.evm-ss-split': true },
          'validator-3': { 'state-store.evm-ss-split': true },
        },
      })
      await network.untilHeight(2)
    })

    afterAll(() => network?.close())

    const full = () => network.node('full-1')

    const send = (node: NetworkNode, serializedTransaction: Hex) =>
      clientOf(node).sendRawTransaction({ serializedTransaction })
    const receiptOf = (hash: Hex, node: NetworkNode = full()) =>
      clientOf(node).waitForTransactionReceipt({ hash })
    const inGossip = async (node: NetworkNode) =>
      Number((await node.ask<{ n_txs: string }>('/num_unconfirmed_txs')).n_txs)

    const nonceAt = async ({ rpc }: NetworkNode, account: number) =>
      Number(await call(rpc, 'eth_getTransactionCount', [devAccount(account).address, 'latest']))

    /** Returns one hash of a node's responses to a call for each height. */
    async function digest({ rpc }: NetworkNode, method: string, params: readonly unknown[]) {
      const hash = createHash('sha256')
      for (let height = 1; height <= last; height++) {
        const answer = await post(rpc, method, [hex(height), ...params])
        expect(answer.error, `${method} of ${height}`).toBeUndefined()
        hash.update(JSON.stringify(answer.result))
      }
      return hash.digest('hex')
    }

    test('discover each other', async () => {
      for (const node of network.nodes) {
        await network.until(`peers of ${node.name}`, async () => (await node.peers()) === 5)
        await network.until(
          `net_peerCount of ${node.name}`,
          async () => (await call<string>(node.rpc, 'net_peerCount')) === '0x5',
        )
      }
    })

    test('all return a transaction that one of them accepted', async () => {
      const [deploy] = await viemSender(network.node('validator-1').rpc, CHAIN_ID)(
        0,
        callsOf(0, 0, 1),
      )
      const receipts = network.nodes.map((node) =>
        clientOf(node).waitForTransactionReceipt({ hash: deploy as Hex, timeout: 60_000 }),
      )
      const [first, ...others] = await Promise.all(receipts)
      expect(first?.status).toBe('success')
      for (const other of others) expect(other).toEqual(first)
    })

    test('include the transactions of ten concurrent clients', async () => {
      const sent = CLIENTS.map(({ node, sender }, account) => {
        const from = account === 0 ? 1 : 0
        const send: Sender = sender(network.node(node).rpc, CHAIN_ID, from)
        return send(account, callsOf(account, from, PER_ACCOUNT))
      })
      const hashes = (await Promise.all(sent)).flat()
      expect(new Set(hashes).size).toBe(ACCOUNTS * PER_ACCOUNT - 1)
      for (const node of network.nodes) {
        await network.until(`all transactions at ${node.name}`, async () => {
          const nonces = CLIENTS.map((_, account) => nonceAt(node, account))
          return (await Promise.all(nonces)).every((nonce) => nonce === PER_ACCOUNT)
        })
      }
      last = await network.height()
      await network.untilHeight(last + 1)
    }, 600_000)

    test('have the same blocks, app hashes and results', async () => {
      for (let height = 1; height <= last + 1; height++) {
        expect(await network.views(height), `height ${height}`).toHaveLength(1)
      }
      const hashes = await Promise.all(
        network.nodes.map(async ({ rpc }) => {
          const block = await call<{ hash: string }>(rpc, 'eth_getBlockByNumber', [
            hex(last),
            false,
          ])
          return block.hash
        }),
      )
      expect(new Set(hashes).size).toBe(1)
    })

    test('have the same receipts, one for each transaction', async () => {
      const digests = network.nodes.map((node) => digest(node, 'eth_getBlockReceipts', []))
      expect(new Set(await Promise.all(digests)).size).toBe(1)
      const { rpc } = network.node('full-1')
      let count = 0
      let failed = 0
      for (let height = 1; height <= last; height++) {
        const receipts = await call<{ status: Hex }[]>(rpc, 'eth_getBlockReceipts', [hex(height)])
        count += receipts.length
        failed += receipts.filter(({ status }) => status === '0x0').length
      }
      expect(count).toBe(ACCOUNTS * PER_ACCOUNT)
      const reverts = CLIENTS.map((_, account) => revertsOf(account, 0, PER_ACCOUNT))
      expect(failed).toBe(reverts.reduce((sum, each) => sum + each))
    })

    test('have the same balances', async () => {
      for (const { rpc } of network.nodes) {
        const paid = [0, 70, PER_ACCOUNT - 2].map((nonce) => payee(7, nonce))
        const balances = paid.map((address) => call(rpc, 'eth_getBalance', [address, 'latest']))
        expect(await Promise.all(balances)).toEqual(['0x1', '0x1', '0x1'])
      }
    })

    test('return the same traces', async () => {
      const digests = network.nodes.map((node) =>
        digest(node, 'debug_traceBlockByNumber', [
          { tracer: 'callTracer', tracerConfig: { withLog: true } },
        ]),
      )
      expect(new Set(await Promise.all(digests)).size).toBe(1)
    })

    // The tests below use the pools of the same nodes. Each account continues after its earlier transactions.

    test('queue a transaction with a nonce gap at one node, and gossip it after any node fills the gap', async () => {
      const second = await send(full(), await transfer(1, 1))
      await network.untilHeight((await network.height()) + 2)
      for (const node of network.nodes) expect(await inGossip(node), node.name).toBe(0)
      const first = await send(network.node('validator-1'), await transfer(1, 0))
      expect((await receiptOf(first)).status).toBe('success')
      expect((await receiptOf(second)).status).toBe('success')
    })

    test('remove a transaction from the gossip of all nodes after it is replaced at one', async () => {
      // Queued behind a gap at the full node, so that no block includes them before the replacement arrives.
      const old = await send(full(), await transfer(2, 1))
      const better = await send(full(), await transfer(2, 1, 3n * GWEI))
      await send(network.node('validator-2'), await transfer(2, 0))
      expect((await receiptOf(better)).status).toBe('success')
      await network.until('empty gossip', async () => {
        const sizes = await Promise.all(network.nodes.map(inGossip))
        return sizes.every((size) => size === 0)
      })
      await expect(clientOf(full()).getTransactionReceipt({ hash: old })).rejects.toThrow()
    })

    test('include a flood of one sender at a full node without delaying others', async () => {
      const raws = await Promise.all(
        Array.from({ length: FLOOD }, (_, nonce) => transfer(3, nonce)),
      )
      const hashes: Hex[] = []
      const flood = (async () => {
        for (let at = 0; at < raws.length; at += 50) {
          hashes.push(
            ...(await Promise.all(raws.slice(at, at + 50).map((raw) => send(full(), raw)))),
          )
        }
      })()
      // Senders without funds, and bytes that are no transaction.
      const poor = privateKeyToAccount(`0x${'77'.repeat(32)}`)
      const unfunded = (nonce: number) => signDynamicFee(poor, { nonce, to: poor.address })
      for (let i = 0; i < 50; i++) {
        await expect(send(full(), await unfunded(i))).rejects.toThrow('insufficient funds')
      }
      const other = await walletOf(full(), 4).sendTransaction({
        to: devAccount(9).address,
        value: 1n,
      })
      expect((await receiptOf(other)).status).toBe('success')
      await flood
      for (const hash of [hashes[0], hashes[FLOOD / 2], hashes.at(-1)]) {
        expect((await receiptOf(hash as Hex)).status).toBe('success')
      }
      const count = await clientOf(full()).getTransactionCount({ address: devAccount(3).address })
      expect(count).toBe(PER_ACCOUNT + FLOOD)
    })

    test('include everything that a full node acknowledged before it was killed', async () => {
      const hash = await send(full(), await transfer(5, 0))
      await full().kill()
      await full().start()
      expect((await receiptOf(hash)).status).toBe('success')
      expect(await network.views(Number((await receiptOf(hash)).blockNumber))).toHaveLength(1)
    })
  },
)
