import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatQuantity, type Hex } from '../../host/base/hex.ts'
import type { EngineModules } from '../../host/evm/engine/engine-modules.ts'
import { openBundle } from '../../host/explorer/browser/open-bundle.ts'
import { replay } from '../../host/explorer/browser/replay.ts'
import { bundleFromNode } from '../../host/explorer/browser/source/bundle-from-node.ts'
import type {
  NodeBundle,
  NodeBundleOptions,
  Way,
} from '../../host/explorer/browser/source/node-bundle.ts'
import { compileEngine } from '../../host/node/wasm.ts'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { ANVIL, type Anvil, startAnvil, withoutLimit } from '../support/peer/anvil.ts'
import { until } from '../support/until.ts'
import { makePeerChain, type PeerChain } from './peer/chain.ts'
import { firstDifference } from './peer/difference.ts'
import { type ArchiveGeth, findGeth, startArchive } from './peer/geth.ts'

const geth = findGeth()
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)
/** Every 12th transaction of geth's chain is tested, or all if LOCKSTEP_PEER_ALL is 1. */
const ONE_IN = process.env.LOCKSTEP_PEER_ALL === '1' ? 1 : 12

if ('reason' in geth) console.log(`No bundles from geth: ${geth.reason}`)
if (!existsSync(ANVIL)) console.log('No bundles from anvil: npm install --prefix bench/peers')

interface Block {
  readonly number: Hex
  readonly transactions: readonly Hex[]
}

interface Known {
  readonly hash: Hex
  readonly type: string
  readonly status: string
}

/** Returns all transactions of a chain with the results in their receipts. */
async function transactionsOf(url: string): Promise<Known[]> {
  const known: Known[] = []
  const height = Number(await call<Hex>(url, 'eth_blockNumber'))
  for (let number = 1; number <= height; number++) {
    const params = [formatQuantity(number), false]
    const { transactions } = await call<Block>(url, 'eth_getBlockByNumber', params)
    for (const hash of transactions) {
      const { type, status } = await call<Known>(url, 'eth_getTransactionReceipt', [hash])
      known.push({ hash, type, status })
    }
  }
  return known
}

interface Tracer {
  readonly tracer?: string
  readonly tracerConfig: Readonly<Record<string, unknown>>
}

const CALLS: Tracer = { tracer: 'callTracer', tracerConfig: { withLog: true } }
const TRACERS: readonly Tracer[] = [
  CALLS,
  { tracerConfig: { enableMemory: true, enableReturnData: true } },
  { tracer: 'prestateTracer', tracerConfig: {} },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
]

/** Returns both traces of a transaction: the node's, and that of its bundle after a round trip through JSON. */
async function tracesOf(
  url: string,
  hash: Hex,
  { document }: NodeBundle,
  asked: Tracer,
): Promise<[theirs: unknown, ours: unknown]> {
  const { tracer, tracerConfig } = asked
  const bundle = await openBundle(JSON.stringify(document), { modules, thread: 'page' })
  try {
    const options = tracer === undefined ? tracerConfig : asked
    return await Promise.all([
      call(url, 'debug_traceTransaction', [hash, options]),
      replay(bundle, asked),
    ])
  } finally {
    bundle.close()
  }
}

interface Compared {
  /** Descriptions of runs that differ from their receipt and of traces that differ from the node's. */
  readonly faults: readonly string[]
  readonly ways: readonly Way[]
}

/** Compares the run of each transaction with its receipt, and its traces with the node's. */
async function compare(
  url: string,
  transactions: readonly Known[],
  options: NodeBundleOptions = {},
): Promise<Compared> {
  const faults: string[] = []
  const ways: Way[] = []
  for (const [i, { hash }] of transactions.entries()) {
    try {
      const made = await bundleFromNode(url, hash, { ...options, modules })
      const { way, difference } = made
      ways.push(way)
      if (difference !== undefined) faults.push(`${hash}, ${way}: ${JSON.stringify(difference)}`)
      const asked = TRACERS[i % TRACERS.length] as Tracer
      const found = firstDifference(...(await tracesOf(url, hash, made, asked)))
      if (found === undefined) continue
      faults.push(`${hash}, ${way}: ${JSON.stringify(asked)}: ${JSON.stringify(found)}`)
    } catch (thrown) {
      faults.push(`${hash}: ${thrown}`)
    }
  }
  return { faults, ways }
}

let modules: EngineModules

beforeAll(async () => {
  modules = await compileEngine()
})

describe.skipIf('reason' in geth)(`bundles from geth, seed ${SEED}`, () => {
  let folder: string
  let chain: PeerChain
  let node: ArchiveGeth
  let transactions: Known[]
  /** Returns every n-th transaction of each type, starting with number `from`. */
  const some = (from: number) =>
    transactions.filter((one) => {
      const sameType = transactions.filter(({ type }) => type === one.type)
      return sameType.indexOf(one) % ONE_IN === from % ONE_IN
    })

  beforeAll(async () => {
    if ('reason' in geth) return
    folder = mkdtempSync(join(tmpdir(), 'lockstep-source-'))
    chain = await makePeerChain(geth.path, folder, SEED, 60)
    node = await startArchive(geth.path, chain.home)
    transactions = await transactionsOf(node.rpc)
  })

  afterAll(async () => {
    await node?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('cover transactions of every type, including failed ones', () => {
    for (const from of [0, 1]) {
      const types = some(from).map(({ type }) => type)
      expect([...new Set(types)].sort()).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4'])
      expect(some(from).filter(({ status }) => status === '0x0').length).toBeGreaterThan(5)
    }
  })

  test('replay with the results and traces of geth, read by prestateTracer or by single reads if that omits state', async () => {
    const { faults, ways } = await compare(node.rpc, some(0))
    expect(faults).toEqual([])
    // prestateTracer omits what an opcode accesses if it runs out of gas, which happens often on this chain
    const told = ways.filter((way) => way === 'prestateTracer')
    expect(told.length / ways.length).toBeGreaterThan(0.8)
  }, 300_000)

  test('replay with the results and traces of geth if made from single reads only', async () => {
    expect((await compare(node.rpc, some(1), { ways: ['reads'] })).faults).toEqual([])
  }, 300_000)

  test('can also be made from Lockstep on the same chain, by each method', async () => {
    const home = join(folder, 'home')
    const imported = ['import', chain.blocks, '--genesis', chain.genesis, '--home', home]
    expect(await runCommand(imported)).toMatchObject({ code: 0 })
    const daemon = await startDaemon({ home, dev: false })
    try {
      const few = some(2).filter((_, i) => i % 3 === 0)
      for (const way of ['lockstep', 'prestateTracer', 'reads'] as const) {
        const { faults, ways } = await compare(daemon.ready.rpc, few, {
          ways: way === 'prestateTracer' ? ['prestateTracer', 'reads'] : [way],
        })
        expect(faults).toEqual([])
        expect(ways).toContain(way)
      }
    } finally {
      await daemon.stop()
    }
  }, 300_000)
})

/**
 * Returns the frame without `gasUsed`: anvil's root frame has the cumulative gas of the block. The receipt is right.
 */
function rootless(frame: unknown): object {
  const { gasUsed: _, ...rest } = withoutLimit(frame as object) as { gasUsed?: Hex }
  return rest
}

describe.skipIf(!existsSync(ANVIL))(`bundles from anvil, seed ${SEED}`, () => {
  const CHAIN = 31_337
  let node: Anvil
  const transactions: Hex[] = []

  beforeAll(async () => {
    node = await startAnvil(CHAIN)
    const mine = async (...raws: readonly Hex[]): Promise<void> => {
      for (const raw of raws) {
        transactions.push(await call<Hex>(node.url, 'eth_sendRawTransaction', [raw]))
      }
      await call(node.url, 'evm_mine')
    }
    const varied = await signVariedBlock(CHAIN, 60, SEED)
    await mine(varied.deployment)
    for (let i = 0; i < 60; i += 15) await mine(...varied.transactions.slice(i, i + 15))
    const account = devAccount(7)
    if (account.signAuthorization === undefined) throw new Error('viem signs no authorization')
    const { contractAddress } = await call<{ contractAddress: Hex }>(
      node.url,
      'eth_getTransactionReceipt',
      transactions.slice(0, 1),
    )
    const authorization = await account.signAuthorization({
      contractAddress,
      chainId: CHAIN,
      nonce: 1,
    })
    await mine(
      await account.signTransaction({
        type: 'eip7702',
        chainId: CHAIN,
        nonce: 0,
        gas: 300_000n,
        maxFeePerGas: 20_000_000_000n,
        maxPriorityFeePerGas: 1n,
        to: account.address,
        data: '0xdeadbeef',
        authorizationList: [authorization],
      }),
    )
  })

  afterAll(async () => {
    await node?.stop()
  })

  test.each<[Way, number]>([
    ['prestateTracer', 0],
    ['reads', 1],
  ])(
    'made by %s replay with the results and call frames of anvil',
    async (way, parity) => {
      for (const hash of transactions.filter((_, i) => i % 2 === parity)) {
        const made = await bundleFromNode(node.url, hash, { modules, ways: [way] })
        expect([hash, made]).toMatchObject([hash, { way, difference: undefined }])
        const [theirs, ours] = await tracesOf(node.url, hash, made, CALLS)
        expect(rootless(ours), hash).toEqual(rootless(theirs))
      }
    },
    120_000,
  )

  test('include transactions of impersonated senders and say so', async () => {
    const from: Hex = '0x00000000000000000000000000000000000a11ce'
    await call(node.url, 'anvil_setBalance', [from, formatQuantity(10n ** 20n)])
    await call(node.url, 'anvil_impersonateAccount', [from])
    const transaction = { from, to: devAccount(1).address, value: '0x1', gas: '0x5208' }
    const hash = await call<Hex>(node.url, 'eth_sendTransaction', [transaction])
    await call(node.url, 'evm_mine')
    for (const way of ['prestateTracer', 'reads'] as const) {
      const made = await bundleFromNode(node.url, hash, { modules, ways: [way] })
      expect(made.difference).toBeUndefined()
      expect(made.document).toMatchObject({ bundle: { transactions: [{ from }] } })
      expect(made.notes.join('; ')).toContain(hash)
    }
  })
})

describe(`bundles from Lockstep, seed ${SEED}`, () => {
  const home = makeHome()
  let daemon: Daemon
  const transactions: Known[] = []

  beforeAll(async () => {
    daemon = await startDaemon({ home })
    const { rpc, chainId } = daemon.ready
    const varied = await signVariedBlock(chainId, 24, SEED)
    const sent: Hex[] = []
    for (const raw of [varied.deployment, ...varied.transactions]) {
      sent.push(await call<Hex>(rpc, 'eth_sendRawTransaction', [raw]))
    }
    const last = [sent.at(-1)]
    await until(async () => (await call(rpc, 'eth_getTransactionReceipt', last)) !== null)
    transactions.push(...(await transactionsOf(rpc)))
  })

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  test('equal the bundles that Lockstep records itself', async () => {
    expect(transactions).toHaveLength(25)
    const { faults, ways } = await compare(daemon.ready.rpc, transactions)
    expect(faults).toEqual([])
    expect(new Set(ways)).toEqual(new Set(['lockstep']))
  })
})
