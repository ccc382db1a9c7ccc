import { keccak_256 } from '@noble/hashes/sha3.js'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, EMPTY_BYTES, equalBytes } from '../../../../../host/base/bytes.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import { catchUp } from '../../../../../host/chain/consensus/state-machine/catch-up.ts'
import { genesisBlock } from '../../../../../host/chain/consensus/state-machine/genesis-block.ts'
import { encodeGenesis } from '../../../../../host/evm/chain-types/genesis-codec.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { decodeAccount } from '../../../../../host/evm/state/account.ts'
import type { ExecutedBlock } from '../../../../../host/storage/store/codec/block-record.ts'
import {
  type Disks,
  devGenesis,
  emptyDisks,
  GENESIS_TIME,
  MemoryChain,
} from '../../../../support/chain/memory-chain.ts'
import { MemoryCommitter } from '../../../../support/chain/memory-committer.ts'
import { MemoryStorage } from '../../../../support/chain/memory-storage.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { fragileBatch } from '../../../../support/engine/fragile-batch.ts'
import { makeGate } from '../../../../support/gate.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'
import { until } from '../../../../support/until.ts'

const GWEI = 10n ** 9n
const signal = new Error('crash')

let engine: BlockEngine
/** Twelve transfers of the first account, signed once. */
let transfers: readonly Uint8Array[]
/** Number of transactions that the engine executed. */
let executions = 0

beforeAll(async () => {
  const real = await openEngine(await compileEngine())
  engine = {
    beginBlock: (env) => real.beginBlock(env),
    transact: (input, options) => real.transact(input, options),
    executeBatch(transactions) {
      executions += transactions.length
      return real.executeBatch(transactions)
    },
    includeApplied: (transaction) => real.includeApplied(transaction),
    blockBloom: () => real.blockBloom(),
    systemCall: (to, data) => real.systemCall(to, data),
    isUsable: true,
    diff: () => real.diff(),
    accessList: () => real.accessList(),
    readWriteSet: () => real.readWriteSet(),
    applySet: (footprint) => real.applySet(footprint),
    keccak256: (bytes) => real.keccak256(bytes),
    recoverAddress: (...signature) => real.recoverAddress(...signature),
    forgetCode: () => real.forgetCode(),
  }
  transfers = await Promise.all(Array.from({ length: 12 }, async (_, nonce) => transfer(0, nonce)))
}, 120_000)

async function transfer(from: number, nonce: number): Promise<Uint8Array> {
  return parseData(await signDynamicFee(from, { nonce, to: devAccount(1).address, value: 1n }))
}

async function startChain(disks?: Disks): Promise<MemoryChain> {
  const chain = await MemoryChain.open(engine, disks === undefined ? {} : { disks })
  if (chain.height < 0) await chain.initialise()
  return chain
}

async function infoOf({ application }: MemoryChain): Promise<object> {
  const info = application.info()
  return { ...info, lastBlockAppHash: await info.lastBlockAppHash }
}

const nonceOf = (chain: MemoryChain) =>
  decodeAccount(chain.storage.state.view(chain.height).account(parseData(devAccount(0).address)))
    .nonce

describe('the application', () => {
  test('starts with the genesis state as block 0', async () => {
    const chain = await MemoryChain.open(engine)
    expect(await infoOf(chain)).toEqual({
      lastBlockHeight: 0,
      lastBlockAppHash: EMPTY_BYTES,
      data: 'lockstep',
      version: 'test',
      appVersion: 0,
    })
    const appHash = await chain.initialise()
    expect(await infoOf(chain)).toMatchObject({ lastBlockHeight: 0, lastBlockAppHash: appHash })
    const header = chain.storage.chain.header(0)
    expect(header).toMatchObject({ number: 0, gasLimit: 100_000_000n, baseFeePerGas: GWEI })
    expect(header?.hash).toHaveLength(32)
    expect(chain.mempool.nextNonce(parseData(devAccount(0).address))).toBe(0n)
    expect(await chain.initialise()).toEqual(appHash)
    await chain.produce()
    await expect(chain.initialise()).rejects.toThrow('the chain is already initialised')
  })

  test('computes the hash of block 0 for a genesis.json longer than one engine call', () => {
    const accounts = Array.from({ length: 24_000 }, (_, i) => ({
      address: bigintToBytes(BigInt(i + 1), 20),
      balance: 1n,
      nonce: 0n,
      code: EMPTY_BYTES,
      storage: [],
    }))
    const genesis = { ...devGenesis(), accounts }
    const text = Buffer.from(encodeGenesis(genesis))
    expect(text.length).toBeGreaterThan(2 ** 21)
    const { header } = genesisBlock(genesis, new Uint8Array(32), (bytes) => engine.keccak256(bytes))
    expect(header.hash).toEqual(keccak_256(text))
  })

  test('refuses a chain with another genesis', async () => {
    const chain = await MemoryChain.open(engine)
    await expect(
      chain.application.initChain({ chainId: '5', time: 0n, initialHeight: 1, validators: [] }),
    ).rejects.toMatchObject({ code: 'GENESIS_INVALID' })
  })

  test('reuses the execution of the block that it proposed, and executes any other block', async () => {
    const chain = await startChain()
    executions = 0
    await chain.produce(transfers[0] as Uint8Array, transfers[1] as Uint8Array)
    expect(executions).toBe(2)
    await chain.mempool.add(transfers[2] as Uint8Array)
    const { height, time, proposerAddress } = await chain.request([])
    await chain.application.prepareProposal({ height, time, proposerAddress, maxTxBytes: 10_000 })
    expect(executions).toBe(3)
    const other = await transfer(2, 0)
    const { receipts } = await chain.decide([other])
    expect(executions).toBe(4)
    expect(receipts[0]?.from).toEqual(parseData(devAccount(2).address))
    expect(nonceOf(chain)).toBe(2n)
    expect(chain.phases).toMatchObject({ blocks: 2, transactions: 3, gas: 63_000n })
  })

  test('returns the same app hash for a block that it proposed and for one that it received', async () => {
    const proposer = await startChain()
    const follower = await startChain()
    for (let i = 0; i < 3; i++) {
      const { block } = await proposer.produce(transfers[i] as Uint8Array)
      // The follower gets a copy of the bytes and has an empty pool.
      const request = await follower.request(block.transactions.map((raw) => raw.slice()))
      expect(await follower.application.processProposal(request)).toBe(true)
      expect((await follower.decide(request.transactions)).block).toEqual(block)
    }
  })

  test('links the first block to the genesis block', async () => {
    const chain = await startChain()
    const { block } = await chain.produce()
    expect(block.header.parentHash).toEqual(chain.storage.chain.header(0)?.hash)
  })

  test('announces each block once it is durable, and ignores listeners that throw', async () => {
    const chain = await startChain()
    const heights: [number, number][] = []
    chain.application.onBlock(() => {
      throw signal
    })
    const stop = chain.application.onBlock(({ block }: ExecutedBlock) => {
      heights.push([block.header.number, chain.storage.chain.latest])
    })
    await chain.produce()
    await chain.produce()
    stop()
    await chain.produce()
    expect(heights).toEqual([
      [1, 1],
      [2, 2],
    ])
    expect(chain.listenerErrors).toEqual([signal, signal, signal])
  })
})

describe('while the app hash of a block is computed', () => {
  /** Opens a chain whose state commit computes the hashes from `height` on only when the test allows it. */
  async function holdingChain(height: number, disks: Disks = emptyDisks()) {
    const gate = makeGate()
    let staged = -1
    const chain = await MemoryChain.open(engine, {
      disks,
      wrapCommitter: (inner) => ({
        get version() {
          return inner.version
        },
        get appHash() {
          return inner.appHash
        },
        busyNs: 7,
        async stage(changeset) {
          staged = changeset.height
          if (staged >= height) await gate.opened
          return inner.stage(changeset)
        },
        async commit() {
          if (staged >= height) await gate.opened
          await inner.commit()
        },
        close: () => inner.close(),
      }),
    })
    if (chain.height < 0) await chain.initialise()
    return { chain, gate }
  }

  const proposalAfter = (chain: MemoryChain) => ({
    height: chain.height + 1,
    time: GENESIS_TIME + BigInt(chain.height + 1) * 400_000_000n,
    proposerAddress: new Uint8Array(20),
    maxTxBytes: 10_000,
  })

  test('the block is durable and announced, and the next one is executed', async () => {
    const { chain, gate } = await holdingChain(2)
    const announced: number[] = []
    chain.application.onBlock(({ block }) => announced.push(block.header.number))
    await chain.decide([transfers[0] as Uint8Array])
    await chain.decide([transfers[1] as Uint8Array])
    expect([chain.height, announced, nonceOf(chain)]).toEqual([2, [1, 2], 2n])
    await chain.mempool.add(transfers[2] as Uint8Array)
    executions = 0
    const proposal = proposalAfter(chain)
    expect(await chain.application.prepareProposal(proposal)).toEqual([transfers[2]])
    expect(executions).toBe(1)
    expect(chain.application.info().lastBlockHeight).toBe(2)

    let isVoted = false
    const request = chain.request([transfers[2] as Uint8Array])
    const vote = request.then((block) => chain.application.processProposal(block))
    vote.then(() => {
      isVoted = true
    })
    await new Promise(setImmediate)
    expect(isVoted).toBe(false)
    gate.open()
    expect(await vote).toBe(true)
    const plain = await startChain()
    await plain.decide([transfers[0] as Uint8Array])
    await plain.decide([transfers[1] as Uint8Array])
    expect(await infoOf(chain)).toEqual(await infoOf(plain))
    // The hash of the block that was voted for is returned without another run.
    await chain.decide([transfers[2] as Uint8Array])
    expect(executions).toBe(3)
    expect(chain.phases.commitNs).toBe(7)
  })

  test('a crash leaves the record without its hash, which the next start computes', async () => {
    const disks = emptyDisks()
    const { chain } = await holdingChain(2, disks)
    await chain.decide([transfers[0] as Uint8Array])
    await chain.decide([transfers[1] as Uint8Array])
    expect([disks.records.length, disks.commit.version]).toEqual([3, 1])
    const next = await startChain(disks)
    const plain = await startChain()
    for (const each of [0, 1]) await plain.decide([transfers[each] as Uint8Array])
    expect(await infoOf(next)).toEqual(await infoOf(plain))
    for (const each of [next, plain]) await each.decide([transfers[2] as Uint8Array])
    expect(next.storage.chain.block(3)).toEqual(plain.storage.chain.block(3))
  })

  test('a failed computation fails only the next block and queries for the hash', async () => {
    const { chain, gate } = await holdingChain(1)
    await chain.decide([transfers[0] as Uint8Array])
    gate.fail(signal)
    await new Promise(setImmediate)
    await expect(chain.application.info().lastBlockAppHash).rejects.toBe(signal)
    const request = { ...proposalAfter(chain), transactions: [], appHash: new Uint8Array(32) }
    const block = { ...request, hash: EMPTY_BYTES, parentHash: EMPTY_BYTES }
    const hashes = { dataHash: EMPTY_BYTES, lastResultsHash: EMPTY_BYTES }
    const whole = { ...block, ...hashes, misbehavior: [], votes: [] }
    await expect(chain.application.processProposal(whole)).rejects.toBe(signal)
    await expect(chain.application.finalizeBlock(whole)).rejects.toBe(signal)
    expect([chain.height, nonceOf(chain)]).toEqual([1, 1n])
  })
})

describe('a block that is finalized again before its commit', () => {
  test('returns the same hash and is committed once, and a replaced block leaves no effect', async () => {
    const chain = await startChain()
    const twin = await startChain()
    const [first, second, third] = transfers as [Uint8Array, Uint8Array, Uint8Array]
    const request = await chain.request([first, second])
    const { application } = chain
    const hashOf = async (given: typeof request) => (await application.finalizeBlock(given)).appHash
    const appHash = await hashOf(request)
    // Consensus was killed before it requested the commit, and has the block executed again.
    expect(await hashOf(request)).toEqual(appHash)
    const other = await hashOf({ ...request, transactions: [first] })
    expect(other).not.toEqual(appHash)
    expect(await hashOf(request)).toEqual(appHash)
    await application.commit()
    await expect(application.commit()).rejects.toThrow('commit without a finalized block')
    await twin.decide([first, second])
    expect((await infoOf(chain)) as object).toEqual(await infoOf(twin))
    expect(nonceOf(chain)).toBe(2n)
    await Promise.all([chain, twin].map((each) => each.decide([third])))
    expect(await infoOf(chain)).toEqual(await infoOf(twin))
  })
})

describe('while a block is not yet on disk', () => {
  test('clients see the earlier state, and block, app hash and pool change together', async () => {
    const chain = await startChain()
    const sender = privateKeyToAccount(`0x${'5e'.repeat(32)}`)
    const { address } = sender
    const funding = await signDynamicFee(0, { nonce: 0, to: address, value: 10n ** 18n })
    const spending = parseData(await signDynamicFee(sender, { nonce: 0, to: address }))
    const { storage } = chain
    const append = storage.append.bind(storage)
    const disk = makeGate()
    let isWritten = false
    storage.append = async (record) => {
      isWritten = true
      await disk.opened
      await append(record)
    }
    const produced = chain.produce(parseData(funding))
    await until(() => isWritten)
    expect(storage.chain.latest).toBe(0)
    await expect(chain.mempool.check(spending)).rejects.toThrow('insufficient funds')
    disk.open()
    let turns = 0
    while (storage.chain.latest === 0 && ++turns < 100) await new Promise(setImmediate)
    expect(chain.application.info().lastBlockHeight).toBe(1)
    expect(await chain.mempool.check(spending)).toMatchObject({ nonce: 0n })
    await produced
  })
})

describe('a transaction that crashes the engine', () => {
  test('ends the proposal and is removed from the pool, and the chain continues', async () => {
    const poisoned = parseData(devAccount(3).address)
    const fragile: BlockEngine = {
      ...engine,
      executeBatch: fragileBatch(engine, ({ from }) => equalBytes(from, poisoned)),
    }
    const chain = await MemoryChain.open(fragile)
    await chain.initialise()
    const first = await chain.produce(
      transfers[0] as Uint8Array,
      await transfer(3, 0),
      await transfer(2, 0),
    )
    expect(first.receipts).toHaveLength(1)
    expect(chain.mempool.size).toBe(1)
    const second = await chain.produce()
    expect(second.receipts[0]?.from).toEqual(parseData(devAccount(2).address))
    // Omitting it from a decided block would fork this node off the chain.
    await expect(chain.decide([await transfer(3, 0)])).rejects.toMatchObject({
      code: 'ENGINE_FAULT',
    })
  })
})

describe('after a crash', () => {
  // Every point between blocks 2 and 3 at which the process may die, and the height at which it restarts.
  const crashes: [string, number, (chain: MemoryChain) => Promise<unknown>][] = [
    [
      'a proposal was made',
      2,
      async (chain) => {
        const { height, time, proposerAddress } = await chain.request([])
        await chain.application.prepareProposal({ height, time, proposerAddress, maxTxBytes: 1000 })
      },
    ],
    [
      'the block was executed',
      2,
      async (chain) =>
        chain.application.finalizeBlock(await chain.request([transfers[2] as Uint8Array])),
    ],
    [
      'the log refused it',
      2,
      async (chain) => {
        chain.storage.failNext = 'before'
        await chain.decide([transfers[2] as Uint8Array]).catch(() => undefined)
      },
    ],
    [
      'it was in the log, and not yet in the state commit',
      3,
      async (chain) => {
        chain.storage.failNext = 'after'
        await chain.decide([transfers[2] as Uint8Array]).catch(() => undefined)
      },
    ],
    ['all was done', 3, (chain) => chain.decide([transfers[2] as Uint8Array])],
  ]
  const cases = crashes.flatMap(([where, height, crash]) =>
    [1, 4].map((interval) => ({ where, height, crash, interval })),
  )

  test.each(cases)(
    'when $where, with the state commit written every $interval heights, the chain continues at $height',
    async ({ height, crash, interval }) => {
      const expected = await startChain()
      const disks = emptyDisks()
      const first = await MemoryChain.open(engine, { disks, commitInterval: interval })
      await first.initialise()
      for (const chain of [expected, first]) {
        await chain.decide([transfers[0] as Uint8Array])
        await chain.decide([transfers[1] as Uint8Array])
      }
      await crash(first)

      const second = await MemoryChain.open(engine, { disks, commitInterval: interval })
      expect(second.height).toBe(height)
      expect(second.application.info().lastBlockHeight).toBe(height)
      expect(nonceOf(second)).toBe(BigInt(height))
      for (let next = height; next < 5; next++) await second.decide([transfers[next] as Uint8Array])
      for (let next = 2; next < 5; next++) await expected.decide([transfers[next] as Uint8Array])
      expect(await infoOf(second)).toEqual(await infoOf(expected))
      const { chain } = expected.storage
      expect(disks.records).toHaveLength(6)
      for (const [at, { executed }] of disks.records.entries()) {
        expect(executed.block).toEqual(chain.block(at))
        expect(executed.receipts).toEqual(chain.receipts(at))
      }
    },
  )

  test('during the first start the genesis state exists either completely or not at all', async () => {
    for (const failure of ['before', 'after'] as const) {
      const disks = emptyDisks()
      const first = await MemoryChain.open(engine, { disks })
      first.storage.failNext = failure
      await expect(first.initialise()).rejects.toMatchObject({ code: 'STORE_FULL' })
      const second = await startChain(disks)
      const whole = await startChain()
      expect(await infoOf(second)).toEqual(await infoOf(whole))
    }
  })

  test('a pool without a journal is empty and accepts transactions against the new state', async () => {
    const disks = emptyDisks()
    const first = await startChain(disks)
    await first.produce(transfers[0] as Uint8Array)
    const second = await startChain(disks)
    await expect(second.mempool.add(transfers[0] as Uint8Array)).rejects.toThrow(
      'nonce too low: next nonce 1, tx nonce 0',
    )
    await second.produce(transfers[1] as Uint8Array)
    expect(nonceOf(second)).toBe(2n)
  })
})

describe('stores at inconsistent heights', () => {
  async function twoBlocks(): Promise<Disks> {
    const disks = emptyDisks()
    const chain = await startChain(disks)
    await chain.produce(transfers[0] as Uint8Array)
    await chain.produce(transfers[1] as Uint8Array)
    return disks
  }

  test('are refused if the state commit is ahead of the storage', async () => {
    const disks = await twoBlocks()
    disks.records.pop()
    await expect(MemoryChain.open(engine, { disks })).rejects.toThrow(
      'the state commit is at height 2, the storage at 1',
    )
  })

  test.each([0, 1])(
    'are refused if the hash after block %i differs from the one in the next block',
    async (version) => {
      const disks = await twoBlocks()
      Object.assign(disks.commit, { version, appHash: new Uint8Array(32).fill(7) })
      await expect(MemoryChain.open(engine, { disks })).rejects.toMatchObject({
        code: 'APP_HASH_MISMATCH',
        message: expect.stringMatching(
          new RegExp(
            '^wrong Block\\.Header\\.AppHash\\. Expected (07){32}, got [0-9A-F]{64} ' +
              `\\(height ${version + 1}, block_id [0-9A-F]{64}\\)$`,
          ),
        ),
      })
    },
  )

  test('are refused if the log no longer contains the changesets that the state commit needs', async () => {
    const disks = await twoBlocks()
    const storage = new MemoryStorage(disks.records)
    storage.logFloor = 2
    const committer = new MemoryCommitter({ version: 0, appHash: new Uint8Array(32) })
    await expect(catchUp(storage, committer)).rejects.toThrow(
      'the log has no changeset of height 1, which the state commit needs',
    )
  })
})

describe('the genesis state', () => {
  test('has the code and storage of the genesis file', async () => {
    const genesis = devGenesis()
    const address = new Uint8Array(20).fill(0xaa)
    const slot = new Uint8Array(32).fill(1)
    const value = new Uint8Array(32).fill(2)
    const chain = await MemoryChain.open(engine, {
      genesis: {
        ...genesis,
        accounts: [
          { address, balance: 3n, nonce: 4n, code: Uint8Array.of(0), storage: [{ slot, value }] },
        ],
      },
    })
    await chain.initialise()
    const view = chain.storage.state.view(0)
    const { balance, nonce, codeHash } = decodeAccount(view.account(address))
    expect([balance, nonce]).toEqual([3n, 4n])
    expect(view.code(codeHash)).toEqual(Uint8Array.of(0))
    expect(view.storage(address, slot)).toEqual(value)
  })

  test('has another app hash for every difference in it', async () => {
    const genesis = devGenesis()
    const hashes = new Set<string>()
    for (const accounts of [genesis.accounts, genesis.accounts.slice(1), []]) {
      const chain = await MemoryChain.open(engine, { genesis: { ...genesis, accounts } })
      hashes.add(String(await chain.initialise()))
    }
    expect(hashes.size).toBe(3)
  })
})
