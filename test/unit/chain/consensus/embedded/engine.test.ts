import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { ConsensusEngine } from '../../../../../host/chain/consensus/application.ts'
import { NO_BLOCK_ID } from '../../../../../host/chain/consensus/comet/block-id.ts'
import { hashResults } from '../../../../../host/chain/consensus/comet/block-results.ts'
import { keyFromSeed } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { startEmbeddedEngine } from '../../../../../host/chain/consensus/embedded/engine.ts'
import { signRecordPath } from '../../../../../host/chain/consensus/validator/sign-record.ts'
import {
  UNSIGNED,
  writeSignState,
} from '../../../../../host/chain/consensus/validator/sign-state.ts'
import { makeGate } from '../../../../support/gate.ts'
import { until } from '../../../../support/until.ts'
import {
  BLOCK_TIME_MS,
  GENESIS,
  GENESIS_TIME,
  ManualClock,
  runUntil,
  ToyApplication,
  ToyHome,
} from '../toy-chain.ts'
import { verifyChain } from './verify-chain.ts'

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

let home: ToyHome
let store: ConsensusBlockStore

beforeEach(async () => {
  home = await ToyHome.create()
  store = home.openStore()
})

afterEach(async () => {
  await store.close()
  await home.remove()
})

describe('the embedded engine', () => {
  test('produces a chain that verifies from genesis', async () => {
    const application = new ToyApplication()
    application.onPrepare = (height) => {
      application.pending = Array.from({ length: height % 4 }, (_, i) => bytes(height, i))
    }
    const validator = await home.loadValidator()
    const engine = await runUntil(20, application, { validator, blockStore: store })
    expect(engine.height).toBeGreaterThanOrEqual(20)
    expect(store.height).toBe(engine.height)
    expect(store.base).toBe(1)
    verifyChain(store, 1, engine.height)
    expect(store.decided(7)?.block.transactions).toEqual([bytes(7, 0), bytes(7, 1), bytes(7, 2)])
  })

  test('passes the header fields to the application', async () => {
    const application = new ToyApplication()
    const validator = await home.loadValidator()
    await runUntil(2, application, { validator, blockStore: store })
    const [first, second] = application.requests
    const blocks = [store.decided(1), store.decided(2)]
    expect(first?.parentHash).toEqual(new Uint8Array(0))
    expect(second?.parentHash).toEqual(blocks[0]?.blockId.hash)
    expect(second?.hash).toEqual(blocks[1]?.blockId.hash)
    expect(second?.proposerAddress).toEqual(validator.address)
    expect(second?.time).toBe(blocks[1]?.block.header.time)
    expect(blocks[1]?.block.header.version).toEqual({ block: 11, app: 3 })
  })

  test('stops after the halt height and continues if it is removed', async () => {
    const application = new ToyApplication()
    const validator = await home.loadValidator()
    const options = { application, genesis: GENESIS, validator, blockStore: store }
    const halted = await new Promise<number>((resolve, onError) => {
      const clock = new ManualClock()
      const settings = { blockTimeMs: BLOCK_TIME_MS, clock, halt: { height: 3, time: 0 }, onError }
      void startEmbeddedEngine({ ...options, ...settings, onHalted: resolve })
    })
    expect(halted).toBe(3)
    expect([store.height, application.disk.height]).toEqual([3, 3])
    const engine = await runUntil(5, application, { validator, blockStore: store })
    verifyChain(store, 1, engine.height)
  })

  test('stops after the first block of the halt time or later', async () => {
    const application = new ToyApplication()
    const validator = await home.loadValidator()
    const blockStore = store
    const clock = new ManualClock()
    const time = Number(GENESIS_TIME / 1_000_000_000n) + 2
    const halted = await new Promise<number>((resolve, onError) => {
      const settings = { blockTimeMs: BLOCK_TIME_MS, clock, halt: { height: 0, time }, onError }
      const options = { application, genesis: GENESIS, validator, blockStore, ...settings }
      void startEmbeddedEngine({ ...options, onHalted: resolve })
    })
    const secondsOf = (height: number) =>
      Number((store.decided(height)?.block.header.time ?? 0n) / 1_000_000_000n)
    expect(secondsOf(halted)).toBeGreaterThanOrEqual(time)
    expect(secondsOf(halted - 1)).toBeLessThan(time)
    expect([store.height, application.disk.height]).toEqual([halted, halted])
  })

  test('decides the block of an upgrade that it lacks, and leaves its execution to the release that has it', async () => {
    const application = new ToyApplication()
    const validator = await home.loadValidator()
    const options = { application, genesis: GENESIS, validator, blockStore: store }
    const run = async (): Promise<void> => {
      let engine: ConsensusEngine | undefined
      await new Promise<void>((onReached, onError) => {
        const upgrade = { plan: { name: 'v2', height: 4 }, onReached }
        const settings = { blockTimeMs: BLOCK_TIME_MS, clock: new ManualClock(), upgrade, onError }
        startEmbeddedEngine({ ...options, ...settings }).then((started) => {
          engine = started
        }, onError)
      })
      await until(() => engine !== undefined)
      expect(engine).toMatchObject({
        height: 3,
        decidedHeight: 4,
        sync: { waitingFor: 'the release with upgrade "v2", which executes height 4' },
      })
      await engine?.stop()
    }
    // The second run of the same release finds the decided block.
    for (let i = 0; i < 2; i++) {
      await run()
      expect([store.height, application.disk.height]).toEqual([4, 3])
    }
    const decided = store.decided(4)
    const engine = await runUntil(6, application, { validator, blockStore: store })
    expect(store.decided(4)).toEqual(decided)
    verifyChain(store, 1, engine.height)
  })

  test('continues the chain after a restart', async () => {
    const application = new ToyApplication()
    await runUntil(3, application, { validator: await home.loadValidator(), blockStore: store })
    await store.close()
    store = home.openStore()
    const before = store.height
    const restarted = new ToyApplication(application.disk)
    const engine = await runUntil(before + 3, restarted, {
      validator: await home.loadValidator(),
      blockStore: store,
    })
    verifyChain(store, 1, engine.height)
    expect(restarted.requests[0]?.height).toBe(before + 1)
  })

  test('leaves transactions that do not fit to a later block', async () => {
    const application = new ToyApplication()
    const large = new Uint8Array(90_000)
    application.pending = [large, large, large]
    await runUntil(1, application, { validator: await home.loadValidator(), blockStore: store })
    expect(store.decided(1)?.block.transactions).toHaveLength(2)
    expect(store.decided(1)?.blockId.parts.total).toBe(3)
  })

  test('starts at the initial height of the genesis', async () => {
    const application = new ToyApplication()
    const validator = await home.loadValidator()
    await runUntil(101, application, {
      validator,
      blockStore: store,
      genesis: { ...GENESIS, initialHeight: 100 },
    })
    expect(store.base).toBe(100)
    expect(store.decided(100)?.block.header.lastBlockId).toEqual(NO_BLOCK_ID)
  })

  test('drops blocks below the retain height', async () => {
    const application = new ToyApplication()
    application.retainHeight = 4
    const validator = await home.loadValidator()
    const engine = await runUntil(6, application, { validator, blockStore: store })
    expect(store.base).toBe(4)
    expect(store.block(3)).toBeUndefined()
    verifyChain(store, 5, engine.height)
  })
})

describe('the app hash', () => {
  /** Returns an application whose app hash after `height` waits for the test. */
  function holding(height: number) {
    const application = new ToyApplication()
    const prepared: number[] = []
    const next = makeGate()
    const hash = makeGate()
    application.hashing = async (at) => (at === height ? hash.opened : undefined)
    application.onPrepare = (at) => {
      prepared.push(at)
      application.pending = [bytes(at)]
      if (at === height + 1) next.open()
    }
    return { application, prepared, nextPrepared: next.opened, hash }
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }

  test('is awaited by the next header while the next block is assembled', async () => {
    const { application, prepared, nextPrepared, hash } = holding(3)
    const validator = await home.loadValidator()
    const run = runUntil(5, application, { validator, blockStore: store })
    await nextPrepared
    await settle()
    // Block 3 is decided, executed and durable. Block 4 is assembled and has no header yet.
    expect(prepared).toEqual([1, 2, 3, 4])
    expect([store.height, application.disk.height]).toEqual([3, 3])
    expect(store.results(3)).toHaveLength(1)
    expect(store.block(4)).toBeUndefined()
    hash.open()
    await run
    verifyChain(store, 1, store.height)
  })

  test('halts the chain at the header that contains it if it cannot be computed', async () => {
    const { application, hash } = holding(2)
    const validator = await home.loadValidator()
    hash.fail(new LockstepError('STORE_FULL', 'disk full: committer.db'))
    await expect(runUntil(4, application, { validator, blockStore: store })).rejects.toMatchObject({
      code: 'STORE_FULL',
      message: 'Consensus failure - height halted at 3: disk full: committer.db',
    })
    expect([store.height, store.block(3)]).toEqual([2, undefined])
  })

  test('of the latest block is stored only by a run that ends cleanly', async () => {
    const application = new ToyApplication()
    application.onPrepare = (at) => {
      application.pending = [bytes(at)]
    }
    const validator = await home.loadValidator()
    const { height } = await runUntil(4, application, { validator, blockStore: store })
    expect(store.appHash(height)).toEqual(application.disk.appHash)
    expect(store.appHash(height - 1)).toBeUndefined()
  })

  test('does not hide transactions that arrive while it is computed, if empty blocks are off', async () => {
    const { application, hash } = holding(1)
    application.onPrepare = () => undefined
    const clock = new ManualClock()
    const engine = await startEmbeddedEngine({
      application,
      genesis: GENESIS,
      validator: await home.loadValidator(),
      blockStore: store,
      blockTimeMs: BLOCK_TIME_MS,
      createEmptyBlocks: false,
      clock,
      onError: (error) => {
        throw error
      },
    })
    while (application.disk.height < 1) await new Promise(setImmediate)
    await settle()
    // The hash decides whether another block is due. Transactions that arrive meanwhile must not be lost.
    application.pending = [bytes(9)]
    engine.notifyTransactions()
    hash.open()
    while (application.disk.height < 2) await new Promise(setImmediate)
    expect(store.decided(2)?.block.transactions).toEqual([bytes(9)])
    await engine.stop()
  })
})

describe('the block scheduler', () => {
  async function startOn(
    application: ToyApplication,
    clock: ManualClock,
    onError: (error: LockstepError) => void,
  ) {
    const validator = await home.loadValidator()
    const settings = { genesis: GENESIS, blockTimeMs: BLOCK_TIME_MS, clock, onError }
    return startEmbeddedEngine({ application, validator, blockStore: store, ...settings })
  }

  async function startTimes(durations: readonly number[]): Promise<number[]> {
    const clock = new ManualClock()
    const application = new ToyApplication()
    const times: number[] = []
    application.onPrepare = (height) => {
      times.push(clock.now)
      clock.now += durations[height - 1] ?? 0
    }
    const validator = await home.loadValidator()
    await runUntil(durations.length, application, { validator, blockStore: store, clock })
    return times.slice(0, durations.length)
  }

  test('keeps the interval from start to start, however long a block takes', async () => {
    expect(await startTimes([100, 399, 0, 250])).toEqual([0, 400, 800, 1200])
  })

  test('makes up for a late block', async () => {
    expect(await startTimes([500, 100, 100, 100])).toEqual([0, 500, 800, 1200])
  })

  test('does not hurry after a long pause', async () => {
    expect(await startTimes([1500, 100, 100, 100])).toEqual([0, 1500, 1900, 2300])
  })

  test('starts a block when the previous one is done and gives it the time at which it is due', async () => {
    const clock = new ManualClock()
    const application = new ToyApplication()
    const opened: number[] = []
    application.onOpen = () => opened.push(clock.now)
    application.onPrepare = () => {
      clock.now += 150
    }
    const validator = await home.loadValidator()
    await runUntil(4, application, { validator, blockStore: store, clock })
    expect(opened.slice(0, 4)).toEqual([0, 150, 550, 950])
    const times = [1, 2, 3, 4].map((height) => store.block(height)?.block.header.time)
    // The first block is as old as the genesis, so its time is one step later.
    expect(times.map((time) => Number((time ?? 0n) - GENESIS.time) / 1e6)).toEqual([
      1, 400, 800, 1200,
    ])
  })

  test('drops an unfinished block when it is stopped, and the next run produces it', async () => {
    const clock = new ManualClock()
    const isOver = makeGate()
    clock.wait = (milliseconds, signal) =>
      new Promise((resolve) => {
        if (application.disk.height < 3) {
          clock.now += milliseconds
          setImmediate(resolve)
        } else {
          signal.addEventListener('abort', () => resolve())
          isOver.open()
        }
      })
    const application = new ToyApplication()
    const failures: unknown[] = []
    const engine = await startOn(application, clock, (error) => failures.push(error))
    await isOver.opened
    application.pending = [bytes(4)]
    await engine.stop()
    expect([store.height, store.block(4), application.pending]).toEqual([3, undefined, [bytes(4)]])
    expect(failures).toEqual([])
    const validator = await home.loadValidator()
    await runUntil(4, application, { validator, blockStore: store })
    expect(store.decided(4)?.block.transactions).toEqual([bytes(4)])
    verifyChain(store, 1, store.height)
  })

  test('halts if a block fails that was due when it was stopped', async () => {
    const clock = new ManualClock()
    const application = new ToyApplication()
    application.onPrepare = (height) => {
      if (height < 3) return
      void engine.stop()
      throw new LockstepError('STORE_FULL', 'disk full')
    }
    const failed = makeGate()
    const failures: unknown[] = []
    const engine = await startOn(application, clock, (error) => {
      failures.push(error)
      failed.open()
    })
    await failed.opened
    expect(failures).toMatchObject([{ code: 'STORE_FULL' }])
  })
})

describe('an engine without empty blocks', () => {
  test('waits for transactions and then states their app hash in one more block', async () => {
    const application = new ToyApplication()
    const clock = new ManualClock()
    const idle: number[] = []
    clock.wait = async (milliseconds, signal) => {
      await new Promise(setImmediate)
      if (milliseconds <= 400 || signal.aborted) {
        clock.now += milliseconds
        return
      }
      idle.push(application.disk.height)
      if (idle.length === 3)
        return new Promise((done) => signal.addEventListener('abort', () => done()))
      application.pending = [bytes(idle.length)]
      engine.notifyTransactions()
    }
    const engine = await startEmbeddedEngine({
      application,
      genesis: GENESIS,
      validator: await home.loadValidator(),
      blockStore: store,
      blockTimeMs: BLOCK_TIME_MS,
      createEmptyBlocks: false,
      clock,
      onError: (error) => {
        throw error
      },
    })
    while (idle.length < 3) await new Promise(setImmediate)
    await engine.stop()
    // The first block states the genesis app hash. Then each transaction takes two blocks.
    expect(idle).toEqual([1, 3, 5])
    const sizes = [1, 2, 3, 4, 5].map((height) => store.decided(height)?.block.transactions.length)
    expect(sizes).toEqual([0, 1, 0, 1, 0])
    verifyChain(store, 1, 5)
  })

  test('produces an empty block after the configured interval', async () => {
    const application = new ToyApplication()
    const clock = new ManualClock()
    const times: number[] = []
    application.onPrepare = () => {
      times.push(clock.now)
    }
    await runUntil(3, application, {
      validator: await home.loadValidator(),
      blockStore: store,
      createEmptyBlocks: false,
      createEmptyBlocksIntervalMs: 60_000,
      clock,
    })
    expect(times.slice(0, 3)).toEqual([0, 60_400, 120_800])
  })
})

describe('the start of the engine', () => {
  const code = (error: unknown) => (error instanceof LockstepError ? error.code : error)

  async function startCode(
    application: ToyApplication,
    genesis = GENESIS,
  ): Promise<{ code: unknown; message: string }> {
    const validator = await home.loadValidator()
    const failure = await runUntil(1, application, { validator, blockStore: store, genesis }).then(
      () => new Error('started'),
      (error: Error) => error,
    )
    return { code: code(failure), message: failure.message }
  }

  test("refuses a key that is not the genesis validator's", async () => {
    const other = keyFromSeed(new Uint8Array(32).fill(8)).publicKey
    const genesis = { ...GENESIS, validators: [{ publicKey: other, power: 1, name: '' }] }
    expect((await startCode(new ToyApplication(), genesis)).code).toBe('VALIDATOR_KEY')
  })

  test('refuses a genesis with no validator or several', async () => {
    const [one] = GENESIS.validators
    for (const validators of [[], [one, one]]) {
      const genesis = { ...GENESIS, validators: validators as typeof GENESIS.validators }
      expect((await startCode(new ToyApplication(), genesis)).code).toBe('GENESIS_INVALID')
    }
  })

  test('refuses blocks of another chain', async () => {
    const application = new ToyApplication()
    await runUntil(1, application, { validator: await home.loadValidator(), blockStore: store })
    const genesis = { ...GENESIS, consensusChainId: 'toy-2' }
    expect((await startCode(application, genesis)).code).toBe('GENESIS_INVALID')
  })

  test('refuses to sign if the blocks are older than the signatures', async () => {
    const validator = await home.loadValidator()
    const application = new ToyApplication()
    await runUntil(3, application, { validator, blockStore: store })
    const { height } = store
    await validator.closeHeights(height + 1)
    await expect(
      runUntil(height + 2, application, { validator, blockStore: store }),
    ).rejects.toMatchObject({
      code: 'DOUBLE_SIGN',
      message:
        `Duplicate signature refused: the validator has signed height ${height + 1}, but the blocks in ` +
        `${store.dir} end at height ${height}`,
    })
  })

  test('updates an older signing state from the blocks', async () => {
    const application = new ToyApplication()
    const first = await home.loadValidator()
    await runUntil(5, application, { validator: first, blockStore: store })
    await rm(signRecordPath(home.keyPath, first.address))
    await writeSignState(home.statePath, UNSIGNED)
    const { height } = store
    const proposal = store.block(height)?.encoded ?? bytes()
    const validator = await home.loadValidator()
    store.propose(height + 1, proposal)
    await expect(
      runUntil(height + 1, application, { validator, blockStore: store }),
    ).rejects.toMatchObject({
      message:
        `Duplicate signature refused: the signing state ends at height 0, but block ${height + 1} in ` +
        `${store.dir} may have been signed`,
    })
    expect(validator.lastSigned.height).toBe(0)
  })

  test('refuses an application that is ahead of the blocks', async () => {
    const application = new ToyApplication({ height: 5, appHash: bytes(1) })
    expect((await startCode(application)).code).toBe('CONSENSUS_FAILURE')
  })

  test('refuses an application whose state differs from the recorded one', async () => {
    const application = new ToyApplication()
    await runUntil(2, application, { validator: await home.loadValidator(), blockStore: store })
    application.disk.appHash = new Uint8Array(32).fill(0xab)
    const failure = await startCode(application)
    expect(failure.code).toBe('APP_HASH_MISMATCH')
    expect(failure.message).toMatch(
      /^wrong Block\.Header\.AppHash\. Expected (AB){32}, got E3B0C44298FC1C14\w+ \(height \d, /,
    )
  })

  test('refuses an application whose state differs from the one in a stored proposal', async () => {
    const application = new ToyApplication()
    const { height } = await runUntil(2, application, {
      validator: await home.loadValidator(),
      blockStore: store,
    })
    const before = { height: height - 1, appHash: new Uint8Array(32).fill(0xab) }
    expect(await startCode(new ToyApplication(before))).toEqual({
      code: 'APP_HASH_MISMATCH',
      message: expect.stringMatching(/^wrong Block\.Header\.AppHash\. Expected (AB){32}, /),
    })
  })

  test('refuses results that differ from the first execution', async () => {
    const application = new ToyApplication()
    application.pending = [bytes(1)]
    // The results of block 1 are stored, and the application dies before it commits.
    application.commit = async () => {
      throw new Error('died')
    }
    await startCode(application)
    const other = new ToyApplication()
    const finalize = other.finalizeBlock.bind(other)
    other.finalizeBlock = async (request) => ({
      ...(await finalize(request)),
      resultsHash: hashResults([]),
    })
    expect(await startCode(other)).toEqual({
      code: 'CONSENSUS_FAILURE',
      message: expect.stringMatching(
        /^wrong Block\.Header\.LastResultsHash\. Expected [0-9A-F]{64}, got E3B0C442\w+ \(height 1 /,
      ),
    })
  })

  test('fails with the height and the reason if the application fails', async () => {
    const application = new ToyApplication()
    application.finalizeBlock = async () => {
      throw new Error('disk on fire')
    }
    expect(await startCode(application)).toEqual({
      code: 'CONSENSUS_FAILURE',
      message: 'Consensus failure - height halted at 1: disk on fire',
    })
  })

  test('fails if the application rejects its own proposal', async () => {
    const application = new ToyApplication()
    application.processProposal = async () => false
    expect((await startCode(application)).message).toBe(
      'Consensus failure - height halted at 1: ' +
        'the application rejected the block it prepared for height 1',
    )
  })
})
