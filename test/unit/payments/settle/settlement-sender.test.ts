import { afterEach, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import { parseSecret, signWithKey } from '../../../../host/evm/chain-types/account-key.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'
import type { SettlementOutcome } from '../../../../host/payments/settle/pending-calls.ts'
import { SettlementSender } from '../../../../host/payments/settle/settlement-sender.ts'
import { ModelChain } from '../../../support/payments/model-chain.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { until } from '../../../support/until.ts'

const KEY = parseSecret(`0x${'22'.repeat(32)}`)
const ACCOUNT = formatData(KEY.address)
const TO = new Uint8Array(20).fill(7)
const GWEI = 10n ** 9n

const FAULTS = [undefined, undefined, 'txpool is full', 'internal error', 'exceeds block gas limit']

const turn = () => new Promise(setImmediate)
const silent = async () => {}

/** Returns the calldata of the n-th call. */
function dataOf(n: number): Uint8Array {
  return bigintToBytes(BigInt(n), 32)
}

describe('the sender of settlements', () => {
  const open: SettlementSender[] = []

  afterEach(async () => {
    for (const sender of open.splice(0)) await sender.close()
  })

  async function openSender(chain: ModelChain) {
    const sender = await SettlementSender.open({
      chain,
      key: KEY,
      keccak256: nobleRecovery.keccak256,
      maxGasPrice: 20n * GWEI,
      tip: GWEI,
      patience: 3,
      // Only blocks drive the sender here.
      patienceMs: 600_000,
    })
    open.push(sender)
    return sender
  }

  async function start() {
    const chain = new ModelChain(formatData(new Uint8Array(20).fill(1)))
    return { chain, sender: await openSender(chain) }
  }

  const call = (n: number) => ({ to: TO, data: dataOf(n), gas: 50_000n })

  /** Mines blocks until nothing is in flight. */
  async function settleAll(chain: ModelChain, sender: SettlementSender): Promise<void> {
    for (let block = 0; sender.size > 0; block++) {
      if (block > 200) throw new Error(`${sender.size} nonces are never passed`)
      await chain.mine()
      for (let n = 0; n < 20; n++) await turn()
    }
  }

  /** Sends a transaction with the same key but not through the sender. */
  function foreign(chain: ModelChain, nonce: bigint, price = 3n * GWEI): Promise<Hex> {
    const fields = { type: 2, chainId: chain.chainId, nonce, gas: 21_000n, value: 0n } as const
    const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price }
    const empty = { accessList: [], authorizations: [], maxFeePerBlobGas: 0n, blobHashes: [] }
    const raw = signWithKey({ ...fields, ...fees, ...empty, to: TO, data: new Uint8Array() }, KEY)
    return chain.send(raw)
  }

  function inputs(chain: ModelChain): number[] {
    return chain.receipts
      .filter(({ input }) => input.length === 66)
      .map(({ input }) => Number(input))
  }

  test('reuses the nonce of a refused transaction for the next call', async () => {
    const { chain, sender } = await start()
    chain.poolFault = 'txpool is full'
    await expect(sender.send(call(1), silent)).rejects.toMatchObject({
      code: 'TRANSACTION_REJECTED',
    })
    chain.poolFault = undefined
    const sent = sender.send(call(2), silent)
    await until(() => chain.pooled === 1)
    await chain.mine()
    expect(await sent).toMatchObject({ kind: 'included' })
    expect(inputs(chain)).toEqual([2])
  })

  test('fills a released nonce if later ones are already in use', async () => {
    const { chain, sender } = await start()
    let fail: (reason: Error) => void = () => {}
    const lost = sender.send(call(1), () => new Promise((_, reject) => (fail = reject)))
    const sent = sender.send(call(2), silent)
    await turn()
    fail(new Error('the disk is full'))
    await expect(lost).rejects.toThrow('the disk is full')
    await until(() => chain.pooled === 1)
    await settleAll(chain, sender)
    expect(await sent).toMatchObject({ kind: 'included' })
    expect(inputs(chain)).toEqual([2])
    expect(chain.receipts.length).toBe(2)
  })

  describe('on a development chain that is reverted', () => {
    async function include(chain: ModelChain, sender: SettlementSender, n: number): Promise<void> {
      const sent = sender.send(call(n), silent)
      await until(() => chain.pooled === 1)
      await settleAll(chain, sender)
      expect(await sent).toMatchObject({ kind: 'included' })
    }

    test('reuses the nonces of the removed blocks', async () => {
      const { chain, sender } = await start()
      await include(chain, sender, 1)
      const goBack = chain.snapshot()
      await include(chain, sender, 2)
      await include(chain, sender, 3)
      goBack()
      await include(chain, sender, 4)
      expect(inputs(chain)).toEqual([1, 4])
      expect(await chain.nonce(ACCOUNT, 'latest')).toBe(2n)
    })

    test('discards calls in flight above a missing nonce, so that they are sent again', async () => {
      const { chain, sender } = await start()
      const goBack = chain.snapshot()
      await include(chain, sender, 1)
      const inFlight = sender.send(call(2), silent)
      await until(() => chain.pooled === 1)
      goBack()
      expect(await inFlight).toEqual({ kind: 'displaced' })
      expect(sender.size).toBe(0)
    })

    test('keeps a call in flight with the next nonce', async () => {
      const { chain, sender } = await start()
      await include(chain, sender, 1)
      const goBack = chain.snapshot()
      const inFlight = sender.send(call(2), silent)
      await until(() => chain.pooled === 1)
      await chain.mine()
      goBack()
      // Its block is removed before the sender has seen it, so that it is sent again.
      await until(() => chain.pooled === 1)
      await settleAll(chain, sender)
      expect(await inFlight).toMatchObject({ kind: 'included' })
      expect(inputs(chain)).toEqual([1, 2])
    })
  })

  test('sends the transactions that a restarted node lost again, in nonce order', async () => {
    const { chain, sender } = await start()
    const sent = [1, 2, 3].map((n) => sender.send(call(n), silent))
    await until(() => chain.pooled === 3)
    chain.dropPool()
    await settleAll(chain, sender)
    expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual([
      'included',
      'included',
      'included',
    ])
    expect(inputs(chain)).toEqual([1, 2, 3])
  })

  test('raises its offer if gas becomes more expensive, announces it first, and stays below the limit', async () => {
    const { chain, sender } = await start()
    const announced: Hex[] = []
    const sent = sender.send(call(1), async (txHash) => {
      announced.push(txHash)
    })
    await until(() => chain.pooled === 1)
    chain.baseFee = 9n * GWEI
    await settleAll(chain, sender)
    expect(await sent).toMatchObject({ kind: 'included', txHash: announced.at(-1) })
    expect(announced.length).toBe(2)

    chain.baseFee = 21n * GWEI
    await expect(sender.send(call(2), silent)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'gas costs 21000000000 wei, more than the limit of 20000000000',
    })
    expect(sender.size).toBe(0)
  })

  test('offers the limit if the price is just below it, and twice the price below that', async () => {
    const { chain, sender } = await start()
    chain.baseFee = 19n * GWEI
    const sent = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    await chain.mine()
    expect(await sent).toMatchObject({ kind: 'included' })
  })

  test('waits at the price limit until gas is cheaper', async () => {
    const { chain, sender } = await start()
    const sent = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    chain.baseFee = 30n * GWEI
    for (let block = 0; block < 40; block++) {
      await chain.mine()
      for (let n = 0; n < 5; n++) await turn()
    }
    expect(sender.size).toBe(1)
    chain.baseFee = GWEI
    await settleAll(chain, sender)
    expect(await sent).toMatchObject({ kind: 'included' })
    expect(chain.receipts.length).toBe(1)
  })

  test('sends a call with another nonce if another process with the same key was faster', async () => {
    const { chain, sender } = await start()
    await foreign(chain, 0n)
    const displaced = sender.send(call(1), silent)
    await until(() => sender.size > 0)
    await settleAll(chain, sender)
    expect(await displaced).toEqual({ kind: 'displaced' })
    const sent = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    await chain.mine()
    expect(await sent).toMatchObject({ kind: 'included' })
    expect(inputs(chain)).toEqual([1])
  })

  test('counts the pending transactions of an earlier process and replaces stuck ones', async () => {
    const chain = new ModelChain(formatData(new Uint8Array(20).fill(1)))
    await foreign(chain, 0n, 2n * GWEI)
    await foreign(chain, 1n, 2n * GWEI)
    chain.baseFee = 4n * GWEI
    const sender = await openSender(chain)
    expect(sender.countForeign()).toBe(2)
    await settleAll(chain, sender)
    expect(sender.countForeign()).toBe(0)
    expect(chain.receipts.length).toBe(2)
    const sent = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    await chain.mine()
    expect(await sent).toMatchObject({ kind: 'included' })
  })

  test('waits for the confirmations of a block, and neither replaces nor gives up its transaction meanwhile', async () => {
    const { chain, sender } = await start()
    chain.confirmations = 10
    const announced: Hex[] = []
    const sent = sender.send(call(1), async (txHash) => {
      announced.push(txHash)
    })
    await until(() => chain.pooled === 1)
    for (let block = 1; block < 10; block++) {
      await chain.mine()
      for (let n = 0; n < 20; n++) await turn()
    }
    expect(sender.size).toBe(1)
    await settleAll(chain, sender)
    expect(await sent).toMatchObject({ kind: 'included', txHash: announced[0] })
    expect(announced.length).toBe(1)
  })

  test('follows a call whose first broadcast got an internal error, until a block has it', async () => {
    const { chain, sender } = await start()
    chain.poolFault = 'internal error'
    const sent = sender.send(call(1), silent)
    await until(() => sender.size === 1)
    for (let n = 0; n < 20; n++) await turn()
    chain.poolFault = undefined
    await settleAll(chain, sender)
    expect(await sent).toMatchObject({ kind: 'included' })
    expect(inputs(chain)).toEqual([1])
  })

  test('rejects a call that no node has taken once the node refuses it, and reuses its nonce', async () => {
    const { chain, sender } = await start()
    chain.poolFault = 'request timed out'
    const sent = sender.send(call(1), silent)
    await until(() => sender.size === 1)
    for (let n = 0; n < 20; n++) await turn()
    chain.poolFault = 'insufficient funds for gas * price + value'
    await chain.mine()
    await expect(sent).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' })
    chain.poolFault = undefined
    const next = sender.send(call(2), silent)
    await until(() => chain.pooled === 1)
    await settleAll(chain, sender)
    expect(await next).toMatchObject({ kind: 'included' })
    expect(await chain.nonce(ACCOUNT, 'latest')).toBe(1n)
  })

  test('follows a call that the pool took without an answer, though the pool refuses it later', async () => {
    const { chain, sender } = await start()
    chain.losesAnswers = true
    const sent = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    chain.losesAnswers = false
    chain.room = 0
    chain.poolFault = 'exceeds block gas limit'
    await chain.mine()
    for (let n = 0; n < 20; n++) await turn()
    chain.poolFault = undefined
    chain.room = 1_000
    await settleAll(chain, sender)
    expect(await sent).toMatchObject({ kind: 'included' })
    expect(inputs(chain)).toEqual([1])
  })

  test('sends a call again whose nonce another process took while it was in flight', async () => {
    const { chain, sender } = await start()
    const first = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    await foreign(chain, 1n, 5n * GWEI)
    const displaced = await sender.send(call(2), silent)
    expect(displaced).toEqual({ kind: 'displaced' })
    expect(sender.countForeign()).toBe(1)
    expect(sender.countForeign(1)).toBe(0)
    const again = sender.send(call(2), silent)
    await until(() => chain.pooled === 3)
    await settleAll(chain, sender)
    expect(await first).toMatchObject({ kind: 'included' })
    expect(await again).toMatchObject({ kind: 'included' })
    expect(inputs(chain)).toEqual([1, 2])
  })

  test('rejects pending calls when it is closed', async () => {
    const { chain, sender } = await start()
    const sent = sender.send(call(1), silent)
    await until(() => chain.pooled === 1)
    await Promise.all([expect(sent).rejects.toMatchObject({ code: 'INTERRUPTED' }), sender.close()])
    await expect(sender.send(call(2), silent)).rejects.toMatchObject({ code: 'INTERRUPTED' })
  })

  const seed = runSeed()

  test(`leaves no gap and makes no call twice under any behaviour of pool, node and prices (LOCKSTEP_SEED=${seed})`, async () => {
    for (let run = 0; run < 15; run++) await live(makeRandom(seed + run))
  }, 60_000)

  /** Outcome of a call. */
  type End = SettlementOutcome['kind'] | 'refused' | 'unannounced' | 'closed' | 'dear'

  function endOf(error: unknown): End {
    if (!(error instanceof LockstepError)) return 'unannounced'
    if (error.code === 'TRANSACTION_REJECTED') return 'refused'
    if (error.code === 'INTERRUPTED') return 'closed'
    if (error.code === 'LIMIT_EXCEEDED') return 'dear'
    throw error
  }

  async function live(random: () => number): Promise<void> {
    const chain = new ModelChain(formatData(new Uint8Array(20).fill(1)))
    const ends = new Map<number, End>()
    const announced = new Set<Hex>()
    let sender = await openSender(chain)
    let calls = 0

    const announce = async (txHash: Hex) => {
      if (random() < 0.3) await turn()
      if (random() < 0.05) throw new Error('the disk is full')
      announced.add(txHash)
    }
    const send = async () => {
      const n = ++calls
      const by = sender
      const end = await by.send(call(n), announce).then(({ kind }) => kind, endOf)
      ends.set(n, end)
    }
    const events: readonly (readonly [number, () => unknown])[] = [
      [12, () => [send()]],
      [4, () => [send(), send(), send(), send(), send()]],
      [8, () => chain.mine()],
      [1, () => (chain.room = 1 + Math.floor(random() * 4))],
      [1, () => (chain.room = 1_000)],
      [1, () => (chain.poolFault = FAULTS[Math.floor(random() * FAULTS.length)])],
      [1, () => (chain.losesAnswers = random() < 0.3)],
      [1, () => chain.dropPool()],
      [1, () => (chain.baseFee = GWEI * BigInt(1 + Math.floor(random() * 14)))],
      [1, async () => foreign(chain, await chain.nonce(ACCOUNT, 'pending')).catch(() => {})],
      [
        0.5,
        async () => {
          await sender.close()
          sender = await openSender(chain)
        },
      ],
    ]
    const weight = events.reduce((sum, [each]) => sum + each, 0)
    for (let step = 0; step < 60; step++) {
      let left = random() * weight
      for (const [each, happen] of events) {
        left -= each
        if (left >= 0) continue
        await happen()
        break
      }
      for (let n = 0; n < 3; n++) await turn()
    }

    chain.poolFault = undefined
    chain.losesAnswers = false
    chain.baseFee = GWEI
    chain.room = 1_000
    await settleAll(chain, sender)
    for (let n = 0; n < 20; n++) await turn()

    expect(ends.size).toBe(calls)
    const made = inputs(chain)
    expect(new Set(made).size).toBe(made.length)
    for (const [n, end] of ends) {
      // A process that ends does not learn what happens to its transactions in the pool.
      if (end !== 'closed') expect([n, end, made.includes(n)]).toEqual([n, end, end === 'included'])
    }
    for (const { txHash, input } of chain.receipts) {
      if (input.length === 66) expect(announced).toContain(txHash)
    }
    // Transactions that a closed sender has left behind a gap wait for the next call, and follow it.
    await chain.mine()
    expect(await chain.nonce(ACCOUNT, 'pending')).toBe(await chain.nonce(ACCOUNT, 'latest'))
    await sender.close()
  }
})
