import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { Hex } from '../../../../../host/base/hex.ts'
import { networkRules } from '../../../../../host/client/remote-node/block-rules.ts'
import type { EthereumHeader } from '../../../../../host/evm/chain-types/ethereum-header.ts'
import type { Revision } from '../../../../../host/evm/chain-types/revision.ts'
import type { EngineModules } from '../../../../../host/evm/engine/engine-modules.ts'
import { blobSchedule } from '../../../../../host/evm/execute/blob-gas.ts'
import { MAINNET } from '../../../../../host/evm/execute/ethereum/networks.ts'
import { openBundle } from '../../../../../host/explorer/browser/open-bundle.ts'
import { replay, verify } from '../../../../../host/explorer/browser/replay.ts'
import { bundleFromNode } from '../../../../../host/explorer/browser/source/bundle-from-node.ts'
import type {
  NodeBundle,
  NodeBundleOptions,
} from '../../../../../host/explorer/browser/source/node-bundle.ts'
import { compileEngine } from '../../../../../host/node/wasm.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import type { Signer } from '../../../../support/peer/signer.ts'
import {
  type FakeCall,
  type FakeNode,
  FakeRefusal,
  startFakeNode,
} from '../../../../support/rpc/fake-node.ts'
import {
  type EthereumNode,
  type EthereumNodeOptions,
  makeEthereumNode,
  SIGNERS,
} from './ethereum-node.ts'

const COUNTER = 0xc0de01n
const CHECK = 0xc0de02n
const HASHES = 0xc0de03n
const to = (address: bigint) => ({ to: bigintToBytes(address, 20) })

/** Counts in slot 0 and logs the count. */
const counter = assemble(
  ...[0, 'SLOAD', 1, 'ADD', 'DUP1', 0, 'SSTORE', 0, 'MSTORE', 32, 0, 'LOG0', 'STOP'],
)
/** Reads the count without a call: adds two slots at computed positions, and reverts. */
const check = assemble(
  ...[0, 'SLOAD', 'DUP1', 'SLOAD', 'ADD', 0, 'MSTORE', COUNTER, 'BALANCE', 32, 'MSTORE'],
  ...[64, 0, 'REVERT'],
)
const hashes = assemble(
  ...['NUMBER', 1, 'SWAP1', 'SUB', 'BLOCKHASH', 'NUMBER', 3, 'SWAP1', 'SUB', 'BLOCKHASH', 'ADD'],
  ...[0, 'SSTORE', 'BLOBBASEFEE', 1, 'SSTORE', 'STOP'],
)

let modules: EngineModules
let node: FakeNode
let chain: EthereumNode
let answer: (call: FakeCall) => unknown

beforeAll(async () => {
  modules = await compileEngine()
})

beforeEach(async () => {
  node = await startFakeNode({ answer: (call) => answer(call) })
})

afterEach(() => node.stop())

/** A mainnet block under the second blob schedule of Osaka. */
const MAINNET_BLOCK = {
  chainId: 1n,
  number: 24_200_000n,
  timestamp: 1_768_000_000n,
  contracts: [
    [COUNTER, counter, 5n],
    [CHECK, check, 7n],
    [HASHES, hashes],
  ],
  transactions: [
    to(COUNTER),
    { ...to(COUNTER), type: 2 },
    {
      ...to(CHECK),
      type: 1,
      accessList: [{ address: bigintToBytes(COUNTER, 20), storageKeys: [] }],
    },
    { data: assemble(1, 0, 'SSTORE', 1, 0, 'RETURN'), type: 2 },
    to(COUNTER),
    { ...to(HASHES), type: 2 },
  ],
} as const

let mainnet: EthereumNode | undefined

function makeChain(fields: Partial<EthereumNodeOptions>): Promise<EthereumNode> {
  const options = { ...MAINNET_BLOCK, ...fields }
  const header = { ...options, difficulty: 0n } as unknown as EthereumHeader
  return makeEthereumNode({ modules, rules: networkRules(MAINNET, header), ...options })
}

/** Serves a chain. The default is the mainnet block, made once, since a node only answers. */
async function serve(fields?: Partial<EthereumNodeOptions>): Promise<void> {
  if (fields === undefined) mainnet ??= await makeChain({})
  chain = fields === undefined ? (mainnet as EthereumNode) : await makeChain(fields)
  answer = chain.answer
}

const record = (index: number, options: NodeBundleOptions = {}): Promise<NodeBundle> =>
  bundleFromNode(node.url, chain.hashes[index] as Hex, { modules, retries: 0, ...options })

async function refused(promise: Promise<unknown>): Promise<[string, string]> {
  const thrown = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (!(thrown instanceof LockstepError)) throw thrown
  return [`${thrown.code}: ${thrown.message.replaceAll(node.url, 'NODE')}`, thrown.hint]
}

describe('a bundle of a transaction of mainnet', () => {
  test.each(['prestateTracer', 'reads'] as const)(
    'that is fetched by %s replays each transaction of a block to its receipt',
    async (way) => {
      await serve()
      for (const index of chain.hashes.keys()) {
        const made = await record(index, { ways: [way] })
        expect(made).toMatchObject({ way, difference: undefined, notes: [] })
        const bundle = await openBundle(JSON.stringify(made.document), { modules, thread: 'page' })
        expect(bundle.block).toMatchObject({ revision: 'Osaka', chainId: 1n, number: 24_200_000 })
        expect(bundle.transactions).toMatchObject([{ hash: chain.hashes[index], index }])
        expect(await verify(bundle)).not.toHaveProperty('difference')
        bundle.close()
      }
    },
  )

  test('has the same bytes whether it is fetched by traces or by reads', async () => {
    await serve()
    for (const index of chain.hashes.keys()) {
      const [first, second] = await Promise.all([
        record(index, { ways: ['prestateTracer'] }),
        record(index, { ways: ['reads'] }),
      ])
      expect(second.document).toEqual(first.document)
    }
  })

  test('traces offline on the state that the earlier transactions left', async () => {
    await serve()
    const made = await record(4, { ways: ['reads'] })
    await node.stop()
    const bundle = await openBundle(made.document, { modules, thread: 'page' })
    const prestate = (await replay(bundle, { tracer: 'prestateTracer' })) as Record<
      string,
      { storage: unknown }
    >
    expect(prestate[`0x${COUNTER.toString(16).padStart(40, '0')}`]?.storage).toEqual({
      [`0x${'0'.repeat(64)}`]: `0x${'7'.padStart(64, '0')}`,
    })
    bundle.close()
  })

  test('takes few rounds of requests, whatever the transactions read', async () => {
    await serve()
    const { cost } = await record(5, { ways: ['reads'] })
    expect(cost.requests).toBeLessThan(14)
  })

  test('is fetched by plain reads if the node has no tracer', async () => {
    await serve()
    answer = (call) =>
      call.method.startsWith('debug_')
        ? new FakeRefusal(
            -32601,
            'the method debug_traceTransaction does not exist/is not available',
          )
        : chain.answer(call)
    expect(await record(4)).toMatchObject({ way: 'reads', difference: undefined })
  })

  test('is fetched by plain reads if the result of the tracer is invalid', async () => {
    await serve()
    answer = (call) =>
      call.method === 'debug_traceTransaction' ? { '0x1234': {} } : chain.answer(call)
    expect(await record(4)).toMatchObject({ way: 'reads', difference: undefined })
    expect((await refused(record(4, { ways: ['prestateTracer'] })))[0]).toBe(
      'PEER_INVALID: NODE: debug_traceTransaction: an address: want 0x and hex digits of 20 bytes, got "0x1234"',
    )
  })

  test('is fetched without methods that a provider forbids with an HTTP status', async () => {
    await serve()
    const forbidden = /^(debug_|web3_)|eth_getBlockReceipts/
    const strict = await startFakeNode({
      answer: chain.answer,
      raw: (response, calls) => {
        if (!calls.some(({ method }) => forbidden.test(method))) return false
        response.writeHead(403).end('forbidden')
        return true
      },
    })
    try {
      const hash = chain.hashes[4] as Hex
      expect(await bundleFromNode(strict.url, hash, { modules })).toMatchObject({
        way: 'reads',
        difference: undefined,
      })
    } finally {
      await strict.stop()
    }
  })

  test('is fetched by plain reads if prestateTracer omits state, which is never guessed', async () => {
    await serve()
    answer = (call) => {
      const result = chain.answer(call)
      if (call.method !== 'debug_traceTransaction') return result
      const { [`0x${COUNTER.toString(16).padStart(40, '0')}`]: _, ...rest } = result as Record<
        string,
        unknown
      >
      return rest
    }
    expect(await record(4)).toMatchObject({ way: 'reads', difference: undefined })
    expect(await refused(record(4, { ways: ['prestateTracer'] }))).toEqual([
      'NOT_FOUND: NODE: prestateTracer does not return account 0x0000000000000000000000000000000000c0de01, which the transaction reads',
      'allow the way `reads`, on a node that has the state of the parent block',
    ])
    // The first transaction of a block runs on the parent's state.
    expect(await record(0, { ways: ['prestateTracer'] })).toMatchObject({ difference: undefined })
  })

  test('is fetched by plain reads if the state of prestateTracer does not reproduce the receipt', async () => {
    await serve()
    answer = (call) => {
      const result = chain.answer(call)
      if (call.method !== 'debug_traceTransaction') return result
      return JSON.parse(JSON.stringify(result).replace(`${'0'.repeat(63)}7"`, `${'0'.repeat(64)}"`))
    }
    expect(await record(4)).toMatchObject({ way: 'reads', difference: undefined })
    const { difference } = await record(4, { ways: ['prestateTracer'] })
    expect(difference).toMatchObject({
      kind: 'receipt',
      field: 'gasUsed',
      transaction: chain.hashes[4],
    })
  })

  test('reports a run that differs from the receipt of the node', async () => {
    await serve()
    answer = (call) => {
      const result = JSON.stringify(chain.answer(call))
      if (!call.method.includes('Receipt')) return JSON.parse(result)
      return JSON.parse(result.replaceAll(`${'0'.repeat(63)}8"`, `${'0'.repeat(63)}9"`))
    }
    const { difference, way } = await record(4)
    expect({ difference, way }).toEqual({
      way: 'prestateTracer',
      difference: {
        kind: 'receipt',
        transaction: chain.hashes[4],
        field: 'logs[0].data',
        recorded: `0x${'9'.padStart(64, '0')}`,
        now: `0x${'8'.padStart(64, '0')}`,
      },
    })
  })
})

describe('the revision of a block', () => {
  const AT: readonly (readonly [Revision, bigint, bigint])[] = [
    ['Frontier', 1_149_999n, 1_457_981_342n],
    ['Homestead', 1_919_999n, 1_469_020_838n],
    ['SpuriousDragon', 4_369_999n, 1_508_131_303n],
    ['Byzantium', 4_370_000n, 1_508_131_331n],
    ['Petersburg', 9_068_999n, 1_575_764_708n],
    ['Istanbul', 9_069_000n, 1_575_764_709n],
    ['Berlin', 12_964_999n, 1_628_166_812n],
    ['London', 12_965_000n, 1_628_166_822n],
    ['Paris', 17_034_869n, 1_681_338_443n],
    ['Shanghai', 17_034_870n, 1_681_338_479n],
    ['Cancun', 19_426_587n, 1_710_338_135n],
    ['Prague', 22_431_084n, 1_746_612_311n],
    ['Osaka', 23_935_694n, 1_764_798_551n],
  ]

  test.each(AT)('is %s in block %s of mainnet', async (revision, number, timestamp) => {
    const difficulty = number < 15_537_394n ? 131_072n : 0n
    const rules = networkRules(MAINNET, { number, timestamp, difficulty } as EthereumHeader)
    expect(rules.revision).toBe(revision)
    // Without a chain id (EIP-155) and typed transactions.
    const transactions = [0, 1].map(() => ({ ...to(COUNTER), chainId: undefined }))
    await serve({ number, timestamp, rules, transactions })
    const made = await record(1, { ways: ['reads'] })
    expect(made.difference).toBeUndefined()
    const bundle = await openBundle(made.document, { modules, thread: 'page' })
    expect(bundle.block.revision).toBe(revision)
    bundle.close()
  })

  const UNKNOWN = 424_242n
  const plain = (revision: Revision) => ({
    revision,
    blobs: blobSchedule(revision),
    bombDelay: 0n,
    sinceDao: undefined,
  })

  test.each<Revision>(['London', 'Paris', 'Shanghai', 'Cancun'])(
    'of another chain is %s if the fields of its header say so',
    async (revision) => {
      await serve({ chainId: UNKNOWN, rules: plain(revision), transactions: [to(COUNTER)] })
      const made = await record(0)
      expect(made.difference).toBeUndefined()
      expect(made.document).toMatchObject({ bundle: { block: { revision } } })
    },
  )

  test('of another chain is the one that eth_config reports, with its blob schedule (EIP-7910)', async () => {
    const blobs = { target: 14n, max: 21n, updateFraction: 11_684_671n }
    await serve({ chainId: UNKNOWN, rules: { ...plain('Osaka'), blobs } })
    const fork = (activationTime: number, precompiles: object) => ({
      activationTime,
      blobSchedule: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
      precompiles,
    })
    answer = (call) =>
      call.method === 'eth_config'
        ? { current: fork(1_767_000_000, { P256VERIFY: '0x0100' }), next: fork(1_999_999_999, {}) }
        : chain.answer(call)
    const made = await record(5, { ways: ['reads'] })
    expect(made.difference).toBeUndefined()
    expect(made.document).toMatchObject({ bundle: { block: { revision: 'Osaka' } } })
  })

  test('of a clique block leaves the fees to the sealer, which the header does not name (EIP-225)', async () => {
    const fees = assemble('COINBASE', 'DUP1', 'BALANCE', 0, 'MSTORE', 32, 'MSTORE', 64, 0, 'LOG0')
    await serve({
      chainId: UNKNOWN,
      rules: plain('London'),
      sealer: SIGNERS[2] as Signer,
      contracts: [[CHECK, fees]],
      transactions: [to(CHECK), to(CHECK)],
    })
    for (const way of ['prestateTracer', 'reads'] as const) {
      expect(await record(1, { ways: [way] })).toMatchObject({ way, difference: undefined })
    }
  })

  test('of another chain before London must be given by the caller', async () => {
    await serve({
      chainId: UNKNOWN,
      rules: plain('Istanbul'),
      transactions: [to(COUNTER)],
    })
    expect(await refused(record(0))).toEqual([
      'UNSUPPORTED: the forks of chain 424242 are unknown, and the header of block 24200000 fits Frontier to Berlin',
      'set the option `revision` to one of: Frontier, Homestead, TangerineWhistle, SpuriousDragon, Byzantium, Constantinople, Petersburg, Istanbul, Berlin, London, Paris, Shanghai, Cancun, Prague, Osaka, Amsterdam',
    ])
    expect(await record(0, { revision: 'Istanbul' })).toMatchObject({ difference: undefined })
  })

  test('that is wrong is reported, with the one to give', async () => {
    await serve({
      chainId: UNKNOWN,
      rules: plain('Istanbul'),
      transactions: [to(COUNTER), to(COUNTER)],
    })
    expect(await refused(record(1, { revision: 'Berlin', ways: ['reads'] }))).toEqual([
      expect.stringMatching(
        /^TRACE_DIFFERS: transaction 0 of block 24200000 used \d+ gas and now \d+$/,
      ),
      'the block was run as Berlin, by the option `revision`: if the chain has other rules, name them in the option `revision`',
    ])
  })
})

describe('fetching a bundle fails', () => {
  beforeEach(() => serve())

  test.each<[string, number, string]>([
    ['Arbitrum One', 42_161, 'its gas pays for another chain too, and its precompiles are its own'],
    [
      'Base',
      8_453,
      'its blocks start with deposits from another chain, and its fees pay for that chain too',
    ],
    ['ZKsync Era', 324, 'its contracts are compiled for a machine other than the EVM'],
  ])('for a chain such as %s', async (name, id, why) => {
    answer = (call) => (call.method === 'eth_chainId' ? `0x${id.toString(16)}` : chain.answer(call))
    expect((await refused(record(0)))[0]).toBe(
      `UNSUPPORTED: chain ${id} is ${name}, not Ethereum: ${why}`,
    )
  })

  test.each<[string, (call: FakeCall, result: unknown) => unknown, string]>([
    [
      'of a transaction that is not there',
      ({ method }, result) => (method === 'eth_getTransactionByHash' ? null : result),
      'NOT_FOUND: NODE has no transaction HASH',
    ],
    [
      'of a transaction that waits',
      ({ method }, result) =>
        method === 'eth_getTransactionByHash' ? { ...(result as object), blockHash: null } : result,
      'NOT_FOUND: transaction HASH is in no block yet',
    ],
    [
      'of a block with a deposit of an OP stack chain',
      ({ method }, result) =>
        method === 'eth_getBlockByHash'
          ? {
              ...(result as object),
              transactions: (result as { transactions: object[] }).transactions.map((one, i) =>
                i === 0 ? { ...one, type: '0x7e' } : one,
              ),
            }
          : result,
      'UNSUPPORTED: transaction 0 of the block is of type 0x7e, a deposit of an OP stack chain: chain 1 is not Ethereum',
    ],
    [
      'of a block whose fields do not give its hash',
      ({ method }, result) =>
        method === 'eth_getBlockByHash' ? { ...(result as object), gasLimit: '0x1' } : result,
      'UNSUPPORTED: NODE: the fields of block 24200000 do not give its hash 0x',
    ],
    [
      'of a transaction whose fields do not give its hash',
      ({ method }, result) =>
        method === 'eth_getBlockByHash'
          ? JSON.parse(JSON.stringify(result).replaceAll('"value":"0x0"', '"value":"0x1"'))
          : result,
      'PEER_INVALID: NODE: eth_getBlockByHash: the fields of transaction ',
    ],
    [
      'of a transaction that another is said to have sent',
      ({ method }, result) =>
        method === 'eth_getBlockByHash'
          ? JSON.parse(
              JSON.stringify(result).replaceAll(/"from":"0x[0-9a-f]{4}/g, '"from":"0xdead'),
            )
          : result,
      'PEER_INVALID: NODE: eth_getBlockByHash: transaction ',
    ],
    [
      'of a transaction elsewhere',
      ({ method }, result) =>
        method === 'eth_getTransactionReceipt'
          ? { ...(result as object), transactionIndex: '0x0' }
          : result,
      'PEER_INVALID: NODE: eth_getTransactionByHash: HASH is not at the index that the node reports',
    ],
    [
      'of a receipt that is none',
      ({ method }, result) =>
        method === 'eth_getTransactionReceipt' ? { ...(result as object), logs: 7 } : result,
      'PEER_INVALID: NODE: eth_getTransactionReceipt: logs: want an array, got 7',
    ],
    [
      'of a node that gives no state in any way',
      ({ method }, result) =>
        method === 'debug_traceTransaction'
          ? new FakeRefusal(-32000, 'required historical state unavailable (reexec=128)')
          : method === 'eth_getBalance'
            ? new FakeRefusal(-32000, 'missing trie node 00 (path )')
            : result,
      'STATE_PRUNED: NODE does not serve debug_traceTransaction with prestateTracer for it; NODE: eth_getBalance is refused: missing trie node 00 (path ) (-32000)',
    ],
  ])('if it is %s', async (_, change, message) => {
    answer = (call) => change(call, chain.answer(call))
    const [text] = await refused(record(4))
    expect(text.replaceAll(String(chain.hashes[4]), 'HASH').slice(0, message.length)).toBe(message)
  })

  test('if it needs more reads than allowed', async () => {
    expect(await refused(record(4, { ways: ['reads'], maxReads: 5 }))).toEqual([
      expect.stringMatching(
        /^LIMIT_EXCEEDED: NODE: the run asks for \d+ accounts and slots after block 24199999, more than 5$/,
      ),
      'raise `maxReads`, or ask a node that serves debug_traceTransaction',
    ])
  })

  test('if the argument is not a transaction hash', async () => {
    expect(await refused(bundleFromNode(node.url, '0x12', { modules }))).toEqual([
      'INVALID_ARGUMENT: "0x12" is not a transaction hash',
      'write it as 0x and 64 hex digits',
    ])
  })
})
