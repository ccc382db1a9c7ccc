import { describe, expect, test } from 'vitest'
import { equalBytes } from '../../../../../host/base/bytes.ts'
import { CONSENSUS_KEYS } from '../../../../../host/base/config/consensus-keys.ts'
import type { LockstepError } from '../../../../../host/base/error.ts'
import { entryBytes } from '../../../../../host/chain/consensus/mempool/entry-bytes.ts'
import type { Mempool } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import { encodeFrom, type TransactionFields } from '../../../../support/engine/unsigned-sender.ts'
import { ALICE, address, BOB, head, openPool, row } from '../../../../support/node/test-pool.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { bySet } from '../../../../support/run/by-set.ts'

/** Limits like those of a node's pool, but smaller. */
const limits = {
  maxTransactions: 4096,
  maxBytes: 16 << 20,
  accountSlots: 16,
  accountQueue: 64,
  globalQueue: 256,
}
/** Memory that a transfer takes in addition to its encoding. */
const TRANSFER_BYTES = 2_400
const LARGE = new Uint8Array(130_000)
const seed = runSeed()

/** Returns undefined if the transaction was accepted, or the message of the refusal. */
async function offer(pool: Mempool, sender: Uint8Array, fields: TransactionFields) {
  try {
    await pool.add(encodeFrom(sender, fields))
    return undefined
  } catch (error) {
    return (error as LockstepError).message
  }
}

/** Counts the refusals by their text up to the first colon. */
async function flood(
  pool: Mempool,
  count: number,
  make: (turn: number) => [sender: Uint8Array, fields: TransactionFields],
): Promise<Record<string, number>> {
  const refusals: Record<string, number> = {}
  for (let turn = 0; turn < count; turn++) {
    const text = (await offer(pool, ...make(turn)))?.split(':')[0]
    if (text !== undefined) refusals[text] = (refusals[text] ?? 0) + 1
  }
  return refusals
}

async function expectHonest(pool: Mempool, fields: TransactionFields = {}): Promise<void> {
  for (let nonce = 0n; nonce < 16n; nonce++) {
    expect(await offer(pool, ALICE, { ...fields, nonce }), `nonce ${nonce}`).toBeUndefined()
  }
  const kept = pool.pending().find(({ sender }) => equalBytes(sender, ALICE))
  expect(kept?.transactions).toHaveLength(16)
}

describe('an honest sender is admitted to the pool', () => {
  test('although one account sends 5,000 transactions behind a nonce gap', async () => {
    const pool = openPool({ limits })
    const refusals = await flood(pool, 5000, (turn) => [BOB, { nonce: BigInt(turn + 1) }])
    expect(refusals).toEqual({ 'account limit exceeded': 4936 })
    expect(pool.queuedCount).toBe(64)
    await expectHonest(pool)
    expect(await offer(pool, address(9), { nonce: 3n })).toBeUndefined()
  })

  test('although many accounts send behind a nonce gap', async () => {
    const pool = openPool({ limits })
    await flood(pool, 5000, (turn) => [address(100 + (turn % 500)), { nonce: BigInt(turn + 1) }])
    expect(pool.queuedCount).toBe(256)
    await expectHonest(pool)
    // Its own transaction with a nonce gap is accepted as well.
    expect(await offer(pool, address(9), { nonce: 3n })).toBeUndefined()
    expect(pool.queuedCount).toBe(256)
  })

  test('although one account fills the pool with executable transactions', async () => {
    const pool = openPool({ limits })
    const refusals = await flood(pool, 5000, (turn) => [
      BOB,
      { nonce: BigInt(turn), maxPriorityFeePerGas: 90n },
    ])
    // The transactions after the refused one have a nonce gap, and there is no room for those either.
    expect(refusals).toEqual({
      'transaction underpriced': 1,
      'future transaction tries to replace pending': 903,
    })
    await expectHonest(pool)
    expect(pool.size).toBe(4096)
  })

  test('although many accounts use all of their slots, if it pays more than they do', async () => {
    const pool = openPool({ limits })
    await flood(pool, 5000, (turn) => [
      address(100 + (turn % 300)),
      { nonce: BigInt(Math.floor(turn / 300)), maxPriorityFeePerGas: 2n },
    ])
    expect(pool.size).toBe(4096)
    expect(await offer(pool, ALICE, { maxPriorityFeePerGas: 2n })).toMatch(
      /^transaction underpriced/,
    )
    await expectHonest(pool, { maxPriorityFeePerGas: 3n })
    expect(pool.size).toBe(4096)
  })

  test('although others send the largest possible transactions', async () => {
    const maxBytes = 8 << 20
    const pool = openPool({ limits: { ...limits, maxBytes } })
    const large = { data: LARGE, gas: 9_000_000n, maxPriorityFeePerGas: 50n }
    await flood(pool, 70, (turn) => [BOB, { ...large, nonce: BigInt(turn) }])
    expect(pool.memoryBytes).toBeGreaterThan(maxBytes - 134_000)
    await flood(pool, 30, (turn) => [address(100 + turn), { ...large, nonce: 1n }])
    expect(pool.memoryBytes).toBeLessThanOrEqual(maxBytes)
    await expectHonest(pool)
    expect(await offer(pool, address(9), { ...large, maxPriorityFeePerGas: 1n })).toBeUndefined()
    expect(pool.memoryBytes).toBeLessThanOrEqual(maxBytes)
  })

  test('although accounts without funds send transactions, which are all refused', async () => {
    const pool = openPool({ limits, funds: { balance: 2_000_000n } })
    const refusals = await flood(pool, 1000, (turn) => [address(100 + turn), { nonce: 1n }])
    expect(refusals).toEqual({ 'insufficient funds for gas * price + value': 1000 })
    expect([pool.size, pool.bytes]).toEqual([0, 0])
  })

  test('although an account replaces its transaction repeatedly', async () => {
    const pool = openPool({ limits, funds: { balance: 10n ** 12n } })
    let cap = 100n
    let tip = 1n
    const refusals = await flood(pool, 1000, () => {
      cap = (cap * 110n) / 100n + 1n
      tip = (tip * 110n) / 100n + 1n
      return [BOB, { maxFeePerGas: cap, maxPriorityFeePerGas: tip, value: 1n }]
    })
    // The price rises by a tenth each time, until the account cannot pay.
    expect(refusals['insufficient funds for gas * price + value']).toBeGreaterThan(800)
    expect(pool.size).toBe(1)
    await expectHonest(pool)
  })
})

describe('a full pool', () => {
  test('never evicts an executable transaction for one with a nonce gap', async () => {
    const pool = openPool({ limits: { ...limits, maxTransactions: 4 } })
    for (const id of [2, 3, 4, 5]) await pool.add(encodeFrom(address(id)))
    const text = await offer(pool, ALICE, { nonce: 1n, maxPriorityFeePerGas: 90n })
    expect(text).toBe('future transaction tries to replace pending')
    expect(pool.size).toBe(4)
  })

  test('evicts transactions with a nonce gap for executable ones, whatever their tips are', async () => {
    const pool = openPool({ limits: { ...limits, maxTransactions: 4 } })
    for (const id of [2, 3]) {
      const fields = { maxPriorityFeePerGas: 90n }
      await pool.add(encodeFrom(address(id), { ...fields, nonce: 1n }))
      await pool.add(encodeFrom(address(id), { ...fields, nonce: 2n }))
    }
    for (const id of [4, 5, 6]) expect(await offer(pool, address(id), {})).toBeUndefined()
    expect(pool.queuedCount).toBe(1)
    expect(pool.dropped.evicted).toBe(3)
  })

  test('evicts nothing for a transaction that would not fit even then', async () => {
    const small = encodeFrom(address(2), { maxPriorityFeePerGas: 2n })
    const maxBytes = 3 * (small.length + TRANSFER_BYTES)
    const pool = openPool({ limits: { ...limits, maxBytes } })
    for (const [id, tip] of [
      [2, 2n],
      [3, 9n],
      [4, 9n],
    ] as const) {
      await pool.add(encodeFrom(address(id), { maxPriorityFeePerGas: tip }))
    }
    const fields = { data: new Uint8Array(2_500), gas: 200_000n, maxPriorityFeePerGas: 3n }
    expect(await offer(pool, ALICE, fields)).toMatch(/^transaction underpriced/)
    expect(pool.size).toBe(3)
    expect(pool.dropped.evicted).toBe(0)
  })

  test('drops stale queued transactions after their lifetime, but no executable ones', async () => {
    let now = 0
    const pool = openPool({ limits: { ...limits, lifetime: 1000 }, clock: () => now })
    for (const nonce of [0n, 2n, 3n]) await pool.add(encodeFrom(ALICE, { nonce }))
    await pool.add(encodeFrom(BOB, { nonce: 2n }))
    now = 900
    // A new transaction renews the lifetime of all queued ones of its account.
    await pool.add(encodeFrom(BOB, { nonce: 5n }))
    now = 1001
    pool.advance(head(1), new Uint8Array())
    expect(pool.pending().map(({ transactions }) => transactions.length)).toEqual([1])
    expect(pool.queued().map(({ sender }) => sender)).toEqual([BOB])
    now = 1901
    pool.expire()
    expect(pool.size).toBe(1)
    expect(pool.dropped.expired).toBe(4)
  })

  test('queues the transactions that their sender can no longer pay for', async () => {
    const pool = openPool({ limits, funds: { balance: 10_000_000n } })
    for (let nonce = 0n; nonce < 4n; nonce++) await pool.add(encodeFrom(ALICE, { nonce }))
    pool.advance(head(1), row(ALICE, { balance: 5_000_000n }))
    expect(pool.pending()[0]?.transactions.map((t) => t.nonce)).toEqual([0n, 1n])
    expect(pool.queuedCount).toBe(2)
    pool.advance(head(2), row(ALICE, { balance: 9_000_000n }))
    expect(pool.pending()[0]?.transactions).toHaveLength(4)
  })
})

const { mempool } = CONSENSUS_KEYS.sections

/** The default limits of a node. */
const DEFAULTS = {
  maxTransactions: Number(mempool.size.fallback),
  maxBytes: Number(mempool['max-txs-bytes'].fallback),
  accountSlots: Number(mempool['account-slots'].fallback),
  accountQueue: Number(mempool['account-queue'].fallback),
  globalQueue: Number(mempool['global-queue'].fallback),
}

const BURST = bySet(20_000, 50_000)
const SENDERS = bySet(40, 100)

describe(`with default limits the pool accepts ${BURST} transfers of ${SENDERS} senders`, () => {
  test.each([
    ['in the order of their nonces', (turn: number) => turn],
    // All transactions but the last of each sender are queued until the end.
    ['in the opposite order', (turn: number) => BURST - 1 - turn],
  ])('%s', async (_, at) => {
    const pool = openPool({ limits: DEFAULTS })
    const refusals = await flood(pool, BURST, (turn) => [
      address(100 + (at(turn) % SENDERS)),
      { nonce: BigInt(Math.floor(at(turn) / SENDERS)) },
    ])
    expect(refusals).toEqual({})
    expect(pool.counts).toEqual({ pending: BURST, queued: 0 })
    expect(pool.memoryBytes).toBeLessThanOrEqual(DEFAULTS.maxBytes)
  })
})

test(`the pool keeps its limits and counts under random traffic (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const small = { maxTransactions: 60, maxBytes: 100_000, accountSlots: 3, globalQueue: 12 }
  const pool = openPool({ limits: { ...limits, ...small, accountQueue: 5 } })
  const nonces = new Map<number, bigint>()
  for (let turn = 0; turn < bySet(1000, 5000); turn++) {
    const id = 1 + below(30)
    const from = nonces.get(id) ?? 0n
    if (below(20) === 0) {
      const nonce = from + BigInt(below(4))
      nonces.set(id, nonce)
      const balance = below(3) === 0 ? BigInt(below(20_000_000)) : 10n ** 18n
      pool.advance(
        head(turn, { baseFee: 10n + BigInt(below(90)) }),
        row(address(id), { nonce, balance }),
      )
    } else {
      await offer(pool, address(id), {
        nonce: from + BigInt(below(9)),
        maxFeePerGas: BigInt(50 + below(200)),
        maxPriorityFeePerGas: BigInt(1 + below(50)),
        data: new Uint8Array(below(900)),
        gas: 60_000n,
      })
    }
    const executable = pool.pending().flatMap(({ transactions }) => transactions)
    const queued = pool.queued().flatMap(({ transactions }) => transactions)
    expect(pool.size).toBe(executable.length + queued.length)
    expect(pool.queuedCount).toBe(queued.length)
    const all = [...executable, ...queued]
    expect(pool.bytes).toBe(all.reduce((sum, { raw }) => sum + raw.length, 0))
    expect(pool.memoryBytes).toBe(all.reduce((sum, one) => sum + entryBytes(one), 0))
    expect(pool.size).toBeLessThanOrEqual(60)
    expect(pool.memoryBytes).toBeLessThanOrEqual(100_000)
  }
})
