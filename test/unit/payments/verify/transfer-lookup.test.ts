import { expect, test } from 'vitest'
import { neverAborted } from '../../../../host/base/signal.ts'
import { TransferLookup } from '../../../../host/payments/verify/transfer-lookup.ts'
import { MemoryPaymentChain } from '../../../support/payments/memory-payment-chain.ts'
import { until } from '../../../support/until.ts'

const LONG = 60_000
const nobody = neverAborted()

function fixture() {
  const chain = new MemoryPaymentChain()
  return { chain, lookup: new TransferLookup(chain) }
}

test('a transaction that is in a block is returned at once', async () => {
  const { chain, lookup } = fixture()
  const txHash = chain.mine([])
  expect(await lookup.receipt(txHash, 'a', LONG, nobody)).toMatchObject({ height: 1n })
  expect(chain.asked).toEqual([txHash])
})

test('a pending transaction is awaited, block by block', async () => {
  const { chain, lookup } = fixture()
  const txHash = chain.nextHash()
  const answer = lookup.receipt(txHash, 'a', LONG, nobody)
  await until(() => chain.watchers === 1)
  for (const asked of [3, 4]) {
    chain.mineEmpty()
    await until(() => chain.asked.length === asked)
  }
  chain.mine([], {}, txHash)
  expect(await answer).toMatchObject({ height: 3n })
})

test('a block that arrives between the query and the wait is not missed', async () => {
  const { chain, lookup } = fixture()
  const txHash = chain.nextHash()
  const { receipt } = chain
  let questions = 0
  chain.receipt = async (hash) => {
    const found = await receipt.call(chain, hash)
    questions++
    // A block arrives during the first query after the wait began.
    if (questions === 2) chain.mine([], {}, txHash)
    return found
  }
  expect(await lookup.receipt(txHash, 'a', LONG, nobody)).toMatchObject({ height: 1n })
})

test('one query serves many requests with the same hash', async () => {
  const { chain, lookup } = fixture()
  const txHash = chain.nextHash()
  const waiting = Array.from({ length: 50 }, () => lookup.receipt(txHash, 'a', LONG, nobody))
  await until(() => chain.watchers === 1)
  expect(chain.asked.length).toBeLessThanOrEqual(2)
  chain.mine([], {}, txHash)
  const found = await Promise.all(waiting)
  expect(found.every((receipt) => receipt?.height === 1n)).toBe(true)
  expect(chain.asked.length).toBeLessThanOrEqual(3)
})

test('an unknown hash stays unknown until the next block', async () => {
  const { chain, lookup } = fixture()
  const [first, second] = [chain.nextHash(), chain.nextHash()]
  const stop = new AbortController()
  const waiting = lookup.receipt(first, 'a', LONG, stop.signal)
  await until(() => chain.asked.length === 2)
  expect(await lookup.receipt(second, 'a', 0, nobody)).toBeUndefined()
  const before = chain.asked.length
  for (let i = 0; i < 100; i++) {
    expect(await lookup.receipt(second, 'a', 0, nobody)).toBeUndefined()
  }
  expect(chain.asked.length).toBe(before)
  chain.mineEmpty()
  await until(() => chain.asked.length > before)
  stop.abort()
  await waiting
})

test('the wait ends at its deadline, and when its client disconnects', async () => {
  const { chain, lookup } = fixture()
  expect(await lookup.receipt(chain.nextHash(), 'a', 1, nobody)).toBeUndefined()
  const stop = new AbortController()
  const waiting = lookup.receipt(chain.nextHash(), 'a', LONG, stop.signal)
  await until(() => chain.watchers === 1)
  stop.abort()
  expect(await waiting).toBeUndefined()
})

test('one client may wait for at most 64 hashes, and the rest of the capacity is for others', async () => {
  const { chain, lookup } = fixture()
  const stop = new AbortController()
  const waiting = Array.from({ length: 64 }, () =>
    lookup.receipt(chain.nextHash(), 'greedy', LONG, stop.signal),
  )
  await until(() => chain.asked.length === 128)
  expect(await lookup.receipt(chain.nextHash(), 'greedy', LONG, stop.signal)).toBeUndefined()
  const txHash = chain.nextHash()
  const other = lookup.receipt(txHash, 'modest', LONG, nobody)
  await until(() => chain.asked.filter((asked) => asked === txHash).length === 2)
  chain.mine([], {}, txHash)
  expect(await other).toMatchObject({ height: 1n })
  stop.abort()
  await Promise.all(waiting)
})

test('1,024 requests wait at most, and each frees its place when it ends', async () => {
  const { chain, lookup } = fixture()
  const fill = (signal: AbortSignal) =>
    Array.from({ length: 1_024 }, (_, i) =>
      lookup.receipt(chain.nextHash(), `client ${i % 16}`, LONG, signal),
    )
  for (const round of [1, 2]) {
    const stop = new AbortController()
    const waiting = fill(stop.signal)
    // Each asks once before its wait and once in it.
    await until(() => chain.asked.length === 2_049 * round - 1)
    expect(await lookup.receipt(chain.nextHash(), 'late', LONG, nobody)).toBeUndefined()
    stop.abort()
    await Promise.all(waiting)
  }
})

test('an unreachable chain fails the current requests, and no later one', async () => {
  const { chain, lookup } = fixture()
  const txHash = chain.mine([])
  const { receipt } = chain
  chain.receipt = () => Promise.reject(new Error('down'))
  const both = [1, 2].map(() => lookup.receipt(txHash, 'a', LONG, nobody))
  for (const one of both) await expect(one).rejects.toThrow('down')
  chain.receipt = receipt
  expect(await lookup.receipt(txHash, 'a', LONG, nobody)).toMatchObject({ height: 1n })
})

test('a chain that cannot tell when its next block is due is queried again', async () => {
  const { chain, lookup } = fixture()
  const txHash = chain.nextHash()
  chain.nextBlock = () => Promise.reject(new Error('down'))
  const answer = lookup.receipt(txHash, 'a', LONG, nobody)
  await until(() => chain.asked.length === 2)
  chain.mine([], {}, txHash)
  expect(await answer).toMatchObject({ height: 1n })
})
