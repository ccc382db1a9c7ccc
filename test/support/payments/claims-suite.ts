import { expect, onTestFinished, test } from 'vitest'
import type { Claims } from '../../../host/payments/claim/claims.ts'
import { until } from '../until.ts'
import { claimFacts, claimKey, txHashOf } from './claim-facts.ts'
import type { ClaimTestStore } from './claim-stores.ts'
import { collected } from './collected.ts'

const OTHER = claimFacts({ request: 'GET /weather?city=Bern' })

async function opened(store: ClaimTestStore): Promise<Claims> {
  const claims = await store.claims()
  onTestFinished(() => claims.close())
  return claims
}

/** Defines the tests of claims over stores that `newStore` creates. */
export function testClaims(newStore: () => Promise<ClaimTestStore>): void {
  test('a payment is claimed once by a hundred concurrent requests', async () => {
    const claims = await opened(await newStore())
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => claims.claim(claimKey(1), claimFacts())),
    )
    expect(outcomes.filter(({ won }) => won)).toHaveLength(1)
    expect(outcomes[0]).toMatchObject({ won: true, record: { state: 'claimed', isPaid: true } })
    expect(outcomes[1]).toEqual({ won: false, reason: 'in progress' })
    await claims.delivered(claimKey(1))
    expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
  })

  test('a payment that could not be served remains open for the same request only', async () => {
    const claims = await opened(await newStore())
    await claims.claim(claimKey(1), claimFacts())
    await claims.release(claimKey(1))
    expect(await claims.claim(claimKey(1), OTHER)).toEqual({ won: false, reason: 'other request' })
    expect(await claims.claim(claimKey(1), claimFacts())).toMatchObject({ won: true })
  })

  test('two processes with the same store do not take each other’s claims while both run', async () => {
    const store = await newStore()
    const first = await store.claims()
    const second = await opened(store)
    expect(await first.claim(claimKey(1), claimFacts())).toMatchObject({ won: true })
    expect(await second.claim(claimKey(1), claimFacts())).toEqual({
      won: false,
      reason: 'in progress',
    })
    await first.close()
    expect(await second.claim(claimKey(1), OTHER)).toEqual({ won: false, reason: 'other request' })
    expect(await second.claim(claimKey(1), claimFacts())).toMatchObject({ won: true })
  })

  test('an authorization keeps its transaction and its settled state across a restart', async () => {
    const store = await newStore()
    const key = claimKey(1, 'authorization')
    const first = await store.claims()
    await first.claim(key, claimFacts())
    await first.settling(key, txHashOf(7))
    await first.settled(key, txHashOf(7))
    await first.close()
    const second = await opened(store)
    expect(await second.claim(key, claimFacts())).toMatchObject({
      won: true,
      record: { state: 'settled', isPaid: true, txHash: txHashOf(7) },
    })
  })

  test('an authorization that was released before anything was sent leaves no trace', async () => {
    const store = await newStore()
    const key = claimKey(1, 'authorization')
    const claims = await opened(store)
    await claims.claim(key, claimFacts())
    await claims.release(key)
    expect(await claims.claim(key, OTHER)).toMatchObject({ won: true })
    await claims.release(key)
    const ledger = await store.ledger()
    expect(await collected(ledger.payments())).toEqual([])
    await ledger.close()
  })

  test('the ledger lists payments, newest first, and the revenue of each resource', async () => {
    const store = await newStore()
    const claims = await opened(store)
    for (const number of [1, 2, 3]) {
      const resource = number === 3 ? '/other' : '/weather'
      await claims.claim(claimKey(number), claimFacts({ resource, amount: BigInt(number) }))
      await claims.delivered(claimKey(number))
      const now = Date.now()
      await until(() => Date.now() > now)
    }
    const ledger = await store.ledger()
    onTestFinished(() => ledger.close())
    const all = await collected(ledger.payments())
    const ids = async (filter = {}) =>
      (await collected(ledger.payments(filter))).map(({ key }) => Number(key.id))
    expect(await ids()).toEqual([3, 2, 1])
    expect(await ids({ isAscending: true })).toEqual([1, 2, 3])
    expect(await ids({ resource: '/weather' })).toEqual([2, 1])
    expect(await ids({ payer: claimFacts().payTo })).toEqual([])
    const since = all[1]?.claimedAt ?? 0
    expect(await ids({ since })).toEqual([3, 2])
    expect(await ids({ before: since })).toEqual([1])
    await ledger.refund(claimKey(2), txHashOf(9))
    expect(await ledger.find(claimKey(2).id)).toMatchObject([{ refund: { txHash: txHashOf(9) } }])
    const refund = async (number: number) => ledger.refund(claimKey(number), txHashOf(10))
    await expect(refund(2)).rejects.toThrow('has a refund already')
    await expect(refund(8)).rejects.toThrow('there is no claim of transfer')
    expect(await ledger.revenue()).toMatchObject([
      { resource: '/weather', payments: 2, amount: 3n, delivered: 2, refunds: 1, refunded: 2n },
      { resource: '/other', payments: 1, amount: 3n, delivered: 1, refunds: 0, refunded: 0n },
    ])
  })

  test('a payment that was refunded buys nothing any more', async () => {
    const store = await newStore()
    const claims = await opened(store)
    const ledger = await store.ledger()
    onTestFinished(() => ledger.close())
    await claims.claim(claimKey(1), claimFacts())
    await claims.failed(claimKey(1))
    await ledger.refund(claimKey(1), txHashOf(9))
    const refunded = { won: false, reason: 'refunded' }
    expect(await claims.claim(claimKey(1), claimFacts())).toEqual(refunded)
    expect(await claims.claim(claimKey(1), OTHER)).toEqual(refunded)
    expect(await claims.obstacle(claimKey(1), claimFacts())).toBe('refunded')
    expect(await ledger.find(claimKey(1).id)).toMatchObject([{ state: 'released' }])
  })

  test('a refund that is sent keeps its transaction until it ends, and counts unless it failed', async () => {
    const store = await newStore()
    const claims = await opened(store)
    const ledger = await store.ledger()
    onTestFinished(() => ledger.close())
    const key = claimKey(1)
    const raw = `0x02${'ab'.repeat(170)}` as const
    const totals = async () => {
      const [{ refunds, refunded } = { refunds: -1, refunded: -1n }] = await ledger.revenue()
      return [refunds, refunded]
    }
    const refund = async (number: number) => ledger.refund(key, txHashOf(number), raw)
    await claims.claim(key, claimFacts())
    await expect(refund(9)).rejects.toThrow('is held by a gate, which may be serving it')
    await claims.delivered(key)

    expect(await refund(9)).toMatchObject({ refund: { txHash: txHashOf(9), raw } })
    await expect(refund(10)).rejects.toThrow('has a refund already')
    expect(await ledger.find(key.id)).toMatchObject([{ refund: { txHash: txHashOf(9), raw } }])
    expect(await totals()).toEqual([1, 1000n])
    const end = async (number: number, how: 'included' | 'failed') =>
      ledger.endRefund(key, txHashOf(number), how)
    await expect(end(10, 'failed')).rejects.toThrow('has no refund 0x')
    expect((await end(9, 'failed')).refund).toBeUndefined()
    expect(await totals()).toEqual([0, 0n])
    await expect(end(9, 'included')).rejects.toThrow('has no refund 0x')

    await refund(11)
    expect((await end(11, 'included')).refund).not.toHaveProperty('raw')
    // Two commands may see the block
    expect((await end(11, 'included')).refund).toMatchObject({ txHash: txHashOf(11) })
    await expect(end(11, 'failed')).rejects.toThrow('in progress')
    expect(await totals()).toEqual([1, 1000n])
  })

  test('the ledger pages through many payments, each once, in both directions', async () => {
    const store = await newStore()
    const claims = await opened(store)
    const numbers = Array.from({ length: 500 }, (_, number) => number)
    await Promise.all(numbers.map((number) => claims.claim(claimKey(number), claimFacts())))
    const ledger = await store.ledger()
    onTestFinished(() => ledger.close())
    for (const isAscending of [false, true]) {
      const shown = await collected(ledger.payments({ isAscending }))
      const sorted = shown.map(({ key }) => Number(key.id)).sort((a, b) => a - b)
      expect(sorted).toEqual(numbers)
    }
  })

  test('a settled authorization is found by its transaction, which may have settled two', async () => {
    const store = await newStore()
    const claims = await opened(store)
    for (const number of [1, 2, 3]) {
      const key = claimKey(number, 'authorization')
      await claims.claim(key, claimFacts())
      // The last announced transaction is not always the one that moves the tokens.
      await claims.settling(key, txHashOf(6))
      await claims.settled(key, txHashOf(number === 3 ? 8 : 7))
    }
    await claims.describe(1329n, claimFacts().asset, { symbol: 'USDC', decimals: 6 })
    const ledger = await store.ledger()
    onTestFinished(() => ledger.close())
    const found = async (number: number) =>
      (await ledger.find(txHashOf(number))).map(({ key }) => Number(key.id))
    expect([await found(7), await found(8), await found(3), await found(6)]).toEqual([
      [1, 2],
      [3],
      [3],
      [],
    ])
    expect(ledger.unit(1329n, claimFacts().asset)).toEqual({ symbol: 'USDC', decimals: 6 })
    expect(ledger.unit(1328n, claimFacts().asset)).toBeUndefined()
  })

  test('a payment by a removed transaction is deleted once no request uses it', async () => {
    const store = await newStore()
    const claims = await opened(store)
    const [transfer, authorization] = [claimKey(1), claimKey(2, 'authorization')]
    const [open, other] = [claimKey(3), claimKey(4)]
    for (const key of [transfer, authorization, open, other]) await claims.claim(key, claimFacts())
    await claims.settled(authorization, txHashOf(9))
    for (const key of [transfer, authorization, other]) await claims.delivered(key)

    await claims.removed(transfer.chainId, [transfer.id, open.id, txHashOf(9)])

    const ledger = await store.ledger()
    expect((await collected(ledger.payments())).map(({ key }) => key)).toEqual([other, open])
    const { amount } = claimFacts()
    expect(await ledger.revenue()).toMatchObject([
      { payments: 2, amount: 2n * amount, delivered: 1 },
    ])
    expect(await ledger.find(txHashOf(9))).toEqual([])
    await ledger.close()
    expect(await claims.claim(transfer, OTHER)).toMatchObject({ won: true })
    expect(await claims.claim(authorization, OTHER)).toMatchObject({
      won: true,
      record: { state: 'claimed', isPaid: false },
    })
    expect(await claims.claim(other, claimFacts())).toEqual({ won: false, reason: 'spent' })
    // A request in progress while the block was removed serves the payment only once.
    expect(await claims.claim(open, claimFacts())).toEqual({ won: false, reason: 'in progress' })
    await claims.delivered(open)
    expect(await claims.claim(open, claimFacts())).toEqual({ won: false, reason: 'spent' })
  })

  test('a removal on another chain deletes nothing', async () => {
    const claims = await opened(await newStore())
    await claims.claim(claimKey(1), claimFacts())
    await claims.delivered(claimKey(1))
    await claims.removed(claimKey(1).chainId + 1n, [claimKey(1).id])
    expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
  })
}
