import { beforeAll, expect, test } from 'vitest'
import { equalBytes } from '../../../../../host/base/bytes.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import type { SpeculationPool } from '../../../../../host/chain/consensus/ahead/speculation-pool.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { devGenesis, MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { wasmRecovery } from '../../../../support/chain/wasm-recovery.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { makeGate } from '../../../../support/gate.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'
import { until } from '../../../../support/until.ts'

const GWEI = 10n ** 9n
/** A block has room for four transfers, two of which may run before it is due. */
const GAS_LIMIT = 84_000n

let engine: BlockEngine
let other: BlockEngine
/** Number of transactions that the engine executed. */
let executions = 0

beforeAll(async () => {
  const module = await compileEngine()
  const real = await openEngine(module)
  other = await openEngine(module)
  engine = new Proxy(real, {
    get(target, name) {
      if (name === 'executeBatch') {
        return (transactions: readonly Transaction[]) => {
          executions += transactions.length
          return target.executeBatch(transactions)
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}, 120_000)

async function transfer(
  from: number,
  nonce: number,
  tip = GWEI,
  gas = 21_000n,
): Promise<Uint8Array> {
  const raw = await signDynamicFee(from, {
    gas,
    maxPriorityFeePerGas: tip,
    nonce,
    to: devAccount(9).address,
    value: 1n,
  })
  return parseData(raw)
}

async function startChain(on: BlockEngine, maxGas = 100_000_000n): Promise<MemoryChain> {
  const genesis = devGenesis()
  const chain = await MemoryChain.open(on, {
    genesis: { ...genesis, params: { ...genesis.params, maxGas } },
  })
  await chain.initialise()
  executions = 0
  return chain
}

/** Starts a proposal. Returns it in an object, because an async function would await a returned promise. */
async function open(chain: MemoryChain, due: Promise<void>) {
  const { height, time, proposerAddress } = await chain.request([])
  const { maxBlockBytes: maxTxBytes } = chain.genesis
  return {
    proposal: chain.application.prepareProposal({ height, time, proposerAddress, maxTxBytes, due }),
  }
}

const ran = (count: number) => until(() => executions === count)
const sendersOf = (raws: readonly Uint8Array[]) =>
  raws
    .map((raw) => decodeTransaction(raw, wasmRecovery).from)
    .map((from) => {
      for (let i = 0; i < 10; i++) if (equalBytes(from, parseData(devAccount(i).address))) return i
      return undefined
    })

test('a proposal executes transactions as they arrive until it is due and includes none after that', async () => {
  const chain = await startChain(engine)
  const due = makeGate()
  await chain.mempool.add(await transfer(0, 0))
  const { proposal } = await open(chain, due.opened)
  await ran(1)
  await chain.mempool.add(await transfer(1, 0))
  await ran(2)
  // A missing nonce makes the transaction after it executable.
  await chain.mempool.add(await transfer(2, 1))
  await chain.mempool.add(await transfer(2, 0))
  await ran(4)
  due.open()
  const raws = await proposal
  await chain.mempool.add(await transfer(3, 0))
  expect(sendersOf(raws)).toEqual([0, 1, 2, 2])
  const { receipts } = await chain.decide(raws)
  expect(receipts.map(({ status }) => status)).toEqual([1, 1, 1, 1])
  expect(executions).toBe(4)
  expect(chain.mempool.size).toBe(1)
})

test('a proposal that was executed early is byte for byte the block of sequential execution', async () => {
  const chain = await startChain(engine)
  const due = makeGate()
  const { proposal } = await open(chain, due.opened)
  for (const [sent, from] of [0, 1, 0, 2, 1, 0].entries()) {
    const nonce = Number(chain.mempool.nextNonce(parseData(devAccount(from).address)))
    await chain.mempool.add(await transfer(from, nonce))
    await ran(sent + 1)
  }
  due.open()
  const raws = await proposal
  expect(raws).toHaveLength(6)
  const left = await chain.decide(raws)
  const replica = await startChain(other)
  const right = await replica.decide(raws)
  expect(right.block).toEqual(left.block)
  expect(await replica.application.info().lastBlockAppHash).toEqual(
    await chain.application.info().lastBlockAppHash,
  )
})

test('half of the gas of a proposal goes to the transactions that pay most when it is due', async () => {
  const chain = await startChain(engine, GAS_LIMIT)
  const due = makeGate()
  const { proposal } = await open(chain, due.opened)
  for (const from of [0, 1]) await chain.mempool.add(await transfer(from, 0))
  await ran(2)
  for (const [from, tip] of [3n, 2n, 5n, 4n].entries()) {
    await chain.mempool.add(await transfer(2 + from, 0, tip * GWEI))
  }
  // Give the proposal a turn for each pause in which it could execute a transaction.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  expect(executions).toBe(2)
  due.open()
  expect(sendersOf(await proposal)).toEqual([0, 1, 4, 5])
})

test('a transaction with more than half of the gas is not executed before the proposal is due', async () => {
  const chain = await startChain(engine, GAS_LIMIT)
  const due = makeGate()
  const { proposal } = await open(chain, due.opened)
  await chain.mempool.add(await transfer(0, 0, 2n * GWEI, 63_000n))
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  expect(executions).toBe(0)
  await chain.mempool.add(await transfer(1, 0, 3n * GWEI))
  due.open()
  expect(sendersOf(await proposal)).toEqual([1, 0])
})

test('a transaction that is replaced before it has run is not included', async () => {
  const chain = await startChain(engine, GAS_LIMIT)
  const due = makeGate()
  const { proposal } = await open(chain, due.opened)
  for (const from of [0, 1]) await chain.mempool.add(await transfer(from, 0))
  await ran(2)
  await chain.mempool.add(await transfer(2, 0, 3n * GWEI))
  await chain.mempool.add(await transfer(3, 0, 4n * GWEI))
  await chain.mempool.add(await replacing(2, 7n * GWEI))
  due.open()
  const raws = await proposal
  expect(sendersOf(raws)).toEqual([0, 1, 2, 3])
  expect(raws[2]).toEqual(await replacing(2, 7n * GWEI))

  async function replacing(from: number, tip: bigint): Promise<Uint8Array> {
    const raw = await signDynamicFee(from, {
      maxFeePerGas: 200n * GWEI,
      maxPriorityFeePerGas: tip,
      nonce: 0,
      to: devAccount(9).address,
      value: 2n,
    })
    return parseData(raw)
  }
})

test('with speculative execution a proposal takes the transactions that are pending when it is due, and none if it is abandoned', async () => {
  const aheadThreads = { begin: () => undefined } as unknown as SpeculationPool
  const chain = await MemoryChain.open(engine, { aheadThreads })
  await chain.initialise()
  executions = 0
  await chain.mempool.add(await transfer(0, 0))
  const givenUp = makeGate()
  const { proposal: none } = await open(chain, givenUp.opened)
  givenUp.fail(new Error('given up'))
  await expect(none).rejects.toThrow('given up')
  const due = makeGate()
  const { proposal } = await open(chain, due.opened)
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  expect(executions).toBe(0)
  await chain.mempool.add(await transfer(1, 0, 2n * GWEI))
  due.open()
  expect(sendersOf(await proposal)).toEqual([1, 0])
})

test('an abandoned proposal leaves no effect', async () => {
  const chain = await startChain(engine)
  const due = makeGate()
  await chain.mempool.add(await transfer(0, 0))
  const { proposal } = await open(chain, due.opened)
  await ran(1)
  due.fail(new Error('given up'))
  await expect(proposal).rejects.toThrow('given up')
  expect(chain.mempool.size).toBe(1)
  const { receipts, block } = await chain.produce(await transfer(1, 0))
  expect([block.header.number, receipts.length]).toEqual([1, 2])
  expect(chain.mempool.size).toBe(0)
})
