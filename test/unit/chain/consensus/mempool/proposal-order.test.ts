import { afterEach, describe, expect, test, vi } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import type { Mempool } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import { PersistentHeap } from '../../../../../host/chain/consensus/mempool/persistent-heap.ts'
import { effectiveTip, type Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import { encodeFrom } from '../../../../support/engine/unsigned-sender.ts'
import { address, drain, head, openPool, row } from '../../../../support/node/test-pool.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'

const seed = runSeed()
const limits = {
  maxTransactions: 200_000,
  maxBytes: 1e9,
  accountQueue: 1_000,
  globalQueue: 200_000,
}

afterEach(() => vi.restoreAllMocks())

/** Computes the order of a block by a full scan for each transaction. */
function expectedOrder(
  pool: Mempool,
  baseFee: bigint,
  arrivals: ReadonlyMap<string, number>,
  isByArrival: boolean,
): Transaction[] {
  const lanes = pool.pending().map(({ transactions }) => [...transactions])
  const order: Transaction[] = []
  for (;;) {
    const firsts = lanes
      .filter(([first]) => first !== undefined && effectiveTip(first, baseFee) >= 0n)
      .sort(([a], [b]) => {
        const [left, right] = [a as Transaction, b as Transaction]
        const gain = effectiveTip(right, baseFee) - effectiveTip(left, baseFee)
        if (gain !== 0n && !isByArrival) return gain > 0n ? 1 : -1
        return (arrivals.get(keyOf(left)) ?? 0) - (arrivals.get(keyOf(right)) ?? 0)
      })
    const best = firsts[0]?.shift()
    if (best === undefined) return order
    order.push(best)
  }
}

const keyOf = ({ hash }: Transaction) => Buffer.from(hash).toString('hex')

describe('the order of a proposal', () => {
  test.each([
    ['tips and arrivals', false],
    ['arrivals alone, if it is to', true],
  ])(
    `follows %s at any base fee after any additions and removals (LOCKSTEP_SEED=${seed})`,
    async (_, isByArrival) => {
      const random = makeRandom(seed)
      const below = (bound: number) => Math.floor(random() * bound)
      const pool = openPool({ limits: { ...limits, maxTransactions: 60, isByArrival } })
      const arrivals = new Map<string, number>()
      let arrived = 0
      const nonces = new Map<number, bigint>()
      for (let turn = 0; turn < 2_000; turn++) {
        const id = 1 + below(40)
        const first = nonces.get(id) ?? 0n
        if (below(12) === 0) {
          const nonce = first + BigInt(below(3))
          nonces.set(id, nonce)
          const balance = below(4) === 0 ? 5_000_000n : 10n ** 18n
          pool.advance(head(turn), row(address(id), { nonce, balance }))
        } else {
          const maxFeePerGas = BigInt(20 + below(200))
          const tip = below(3) === 0 ? maxFeePerGas : BigInt(1 + below(20))
          const raw = encodeFrom(address(id), {
            nonce: first + BigInt(below(4)),
            maxFeePerGas,
            maxPriorityFeePerGas: tip,
          })
          await pool.add(raw).then(
            (hash) => arrivals.set(Buffer.from(hash).toString('hex'), arrived++),
            () => {},
          )
        }
        if (turn % 10 > 0) continue
        const baseFee = BigInt(10 + below(220))
        expect(drain(pool, baseFee).map(keyOf)).toEqual(
          expectedOrder(pool, baseFee, arrivals, isByArrival).map(keyOf),
        )
      }
    },
  )

  test('is unaffected by another iteration and by transactions that arrive during it', async () => {
    const pool = openPool({ limits })
    for (const id of [1, 2, 3]) {
      await pool.add(encodeFrom(address(id), { maxPriorityFeePerGas: BigInt(10 * id) }))
    }
    const order = pool.candidates(10n)
    expect(order.peek()?.from).toEqual(address(3))
    order.take()
    expect(drain(pool, 10n)).toHaveLength(3)
    await pool.add(encodeFrom(address(4), { maxPriorityFeePerGas: 25n }))
    await pool.add(encodeFrom(address(2), { nonce: 1n, maxPriorityFeePerGas: 15n }))
    expect(order.peek()?.from).toEqual(address(2))
    order.take()
    expect(order.peek()?.from).toEqual(address(1))
    order.skip()
    expect(order.peek()).toBeUndefined()
    expect(drain(pool, 10n).map(({ from }) => from)).toEqual([3, 4, 2, 2, 1].map(address))
  })

  test('examines only as many of 20,000 senders as a block includes', async () => {
    const pool = openPool({ limits })
    // Sets the base fee by which new senders are placed.
    pool.candidates(10n)
    const SENDERS = 20_000
    for (let id = 0; id < SENDERS; id++) {
      const maxFeePerGas = BigInt(1_000 + (id % 977))
      // For a third of them the tip equals the fee cap, as in a legacy transaction.
      const maxPriorityFeePerGas = id % 3 === 0 ? maxFeePerGas : BigInt(1 + (id % 37))
      const from = bigintToBytes(BigInt(1_000 + id), 20)
      await pool.add(encodeFrom(from, { maxFeePerGas, maxPriorityFeePerGas }))
    }
    const take = (baseFee: bigint) => {
      const order = pool.candidates(baseFee)
      for (let i = 0; i < 100; i++) {
        order.peek()
        order.take()
      }
    }
    const put = vi.spyOn(PersistentHeap.prototype, 'with')
    const reached = vi.spyOn(PersistentHeap.prototype, 'withoutFirst')
    for (let fee = 20n; fee < 30n; fee++) take(fee)
    expect(put).not.toHaveBeenCalled()
    expect(reached.mock.calls.length).toBeLessThanOrEqual(10 * 102)
  })
})

describe('an open proposal', () => {
  test(`offers the best pending transaction, including arrivals and replacements during the iteration (LOCKSTEP_SEED=${seed})`, async () => {
    const random = makeRandom(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    for (let round = 0; round < 60; round++) {
      const pool = openPool({ limits })
      const arrivals = new Map<string, number>()
      let arrived = 0
      const baseFee = BigInt(10 + below(60))
      const send = async () => {
        const maxFeePerGas = BigInt(20 + below(100))
        const tip = below(3) === 0 ? maxFeePerGas : BigInt(1 + below(20))
        const from = address(1 + below(12))
        const nonce = pool.nextNonce(from) - BigInt(below(3)) + BigInt(below(2))
        if (nonce < 0n) return
        const raw = encodeFrom(from, { nonce, maxFeePerGas, maxPriorityFeePerGas: tip })
        await pool.add(raw).then(
          (hash) => arrivals.set(Buffer.from(hash).toString('hex'), arrived++),
          () => {},
        )
      }
      for (let i = below(40); i > 0; i--) await send()
      const order = pool.openCandidates(baseFee)
      const takenOf = new Map<string, number>()
      /** The next transaction of each sender that was not skipped. */
      const nexts = () =>
        pool.pending().flatMap(({ sender, transactions }) => {
          const next = transactions[takenOf.get(String(sender)) ?? 0]
          return next === undefined || effectiveTip(next, baseFee) < 0n ? [] : [next]
        })
      const next = () =>
        nexts().sort((left, right) => {
          const gain = effectiveTip(right, baseFee) - effectiveTip(left, baseFee)
          if (gain !== 0n) return gain > 0n ? 1 : -1
          return (arrivals.get(keyOf(left)) ?? 0) - (arrivals.get(keyOf(right)) ?? 0)
        })[0]
      const count = (sender: string) => takenOf.set(sender, (takenOf.get(sender) ?? 0) + 1)
      for (let step = 0; step < 120; step++) {
        const best = next()
        const got = order.peek()
        expect(got && keyOf(got)).toBe(best && keyOf(best))
        if (best === undefined || below(3) === 0) {
          await send()
          continue
        }
        const sender = String(best.from)
        if (below(15) === 0) {
          order.skip()
          takenOf.set(sender, Infinity)
        } else {
          order.take()
          count(sender)
        }
      }
      // Transactions that arrive after the close are not part of it, whoever the sender is.
      order.close()
      const left: string[] = []
      for (let best = next(); best !== undefined; best = next()) {
        left.push(keyOf(best))
        count(String(best.from))
      }
      for (let id = 1; id < 20; id++) {
        const from = address(id)
        await pool.add(encodeFrom(from, { nonce: pool.nextNonce(from), maxFeePerGas: 1_000n }))
      }
      const rest: string[] = []
      for (let best = order.peek(); best !== undefined; best = order.peek()) {
        rest.push(keyOf(best))
        order.take()
      }
      expect(rest).toEqual(left)
    }
  })

  test('resolves a wait when an executable transaction arrives that pays enough, and never after it is closed', async () => {
    const pool = openPool({ limits })
    const order = pool.openCandidates(50n)
    let told = 0
    const wait = () => order.arrival().then(() => told++)
    const settle = () => new Promise(setImmediate)
    void wait()
    await pool.add(encodeFrom(address(1), { maxFeePerGas: 49n, maxPriorityFeePerGas: 1n }))
    await pool.add(encodeFrom(address(2), { nonce: 1n, maxFeePerGas: 60n }))
    await settle()
    expect([told, order.peek()]).toEqual([0, undefined])
    // The missing nonce makes two transactions executable.
    await pool.add(encodeFrom(address(2), { nonce: 0n, maxFeePerGas: 60n }))
    await settle()
    expect(told).toBe(1)
    // If a transaction is pending, the wait resolves at once.
    await order.arrival()
    for (const nonce of [0n, 1n]) {
      expect(order.peek()).toMatchObject({ from: address(2), nonce })
      order.take()
    }
    void wait()
    // A replacement raises a fee cap that was too low.
    await pool.add(encodeFrom(address(1), { maxFeePerGas: 70n, maxPriorityFeePerGas: 2n }))
    await settle()
    expect([told, order.peek()?.maxFeePerGas]).toEqual([2, 70n])
    order.take()
    void wait()
    order.close()
    await pool.add(encodeFrom(address(3), { maxFeePerGas: 60n }))
    await settle()
    expect(told).toBe(2)
  })
})

describe('a new block', () => {
  test('examines only the included transactions of a sender with 2,000 in the pool', async () => {
    const pool = openPool({ limits })
    const sender = address(7)
    for (let nonce = 0n; nonce < 2_000n; nonce++) await pool.add(encodeFrom(sender, { nonce }))
    const kept = pool.pending()[0]?.transactions[1_000] as Transaction
    const { nonce } = kept
    const nonces = vi.fn(() => nonce)
    Object.defineProperty(kept, 'nonce', { get: nonces })
    pool.advance(head(1), row(sender, { nonce: 100n, balance: 10n ** 18n }))
    expect(pool.counts).toEqual({ pending: 1_900, queued: 0 })
    // The binary search for the first remaining one (eleven steps for 2,000) may read it once.
    expect(nonces.mock.calls.length).toBeLessThanOrEqual(1)
  })
})
