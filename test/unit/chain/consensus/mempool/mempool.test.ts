import { describe, expect, test } from 'vitest'
import { Mempool } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import {
  encodeFrom,
  senderInR,
  type TransactionFields,
} from '../../../../support/engine/unsigned-sender.ts'
import {
  ALICE,
  BOB,
  CAROL,
  drain,
  head,
  openPool,
  POOL_LIMITS,
  POOL_RULES,
  type PoolSetup,
  row,
} from '../../../../support/node/test-pool.ts'

describe('the mempool admission', () => {
  const authorization = {
    chainId: 0n,
    address: BOB,
    nonce: 0n,
    yParity: 0n,
    r: 1n,
    s: 1n,
  }
  const refusals: [string, TransactionFields, PoolSetup, string][] = [
    ['a blob', { type: 3 }, {}, 'blobs not supported on this chain'],
    [
      'a type before its revision',
      {},
      { rules: { revision: 'Berlin' } },
      'transaction type not supported: type 2 rejected, pool not yet in London',
    ],
    [
      'set code before Prague',
      { type: 4, authorizations: [authorization] },
      { rules: { revision: 'Cancun' } },
      'transaction type not supported: type 4 rejected, pool not yet in Prague',
    ],
    [
      'too many bytes',
      { data: new Uint8Array(1000) },
      { rules: { maxTransactionBytes: 1000 } },
      'oversized data: transaction size 1042, limit 1000',
    ],
    [
      'long init code',
      { to: undefined, data: new Uint8Array(49_153), gas: 1_000_000n },
      {},
      'max initcode size exceeded: code size 49153 limit 49152',
    ],
    ['more gas than a block', { gas: 10_000_001n }, {}, 'exceeds block gas limit'],
    [
      'more gas than EIP-7825 allows',
      { gas: 16_777_217n },
      { rules: { revision: 'Osaka', maxGas: 100_000_000n } },
      'transaction gas limit too high (cap: 16777216, tx: 16777217)',
    ],
    [
      'more gas than Amsterdam allows',
      { gas: 2n ** 32n },
      { rules: { revision: 'Amsterdam', maxGas: 2n ** 40n } },
      'transaction gas limit too high (cap: 4294967295, tx: 4294967296)',
    ],
    [
      'data that costs more than the gas of an execution (EIP-8037)',
      { gas: 20_000_000n, data: new Uint8Array(262_144).fill(1) },
      { rules: { revision: 'Amsterdam', maxGas: 2n ** 40n, maxTransactionBytes: 1 << 20 } },
      'insufficient gas for floor data gas cost: intrinsic cost 4206304, floor: 16789216',
    ],
    [
      'a legacy transaction without chain id',
      { type: 0, chainId: undefined, maxPriorityFeePerGas: 100n },
      {},
      'only replay-protected (EIP-155) transactions allowed over RPC',
    ],
    [
      'another chain',
      { chainId: 5n },
      {},
      'invalid sender: invalid chain id for signer: have 5 want 1329',
    ],
    ['the highest nonce', { nonce: 2n ** 64n - 1n }, {}, 'nonce has max value'],
    ['little gas', { gas: 20_000n }, {}, 'intrinsic gas too low: gas 20000, minimum needed 21000'],
    [
      'little gas for a creation',
      { to: undefined, gas: 53_000n, data: Uint8Array.of(1) },
      {},
      'intrinsic gas too low: gas 53000, minimum needed 53018',
    ],
    [
      'less gas than its data costs (EIP-7623)',
      { gas: 24_000n, data: new Uint8Array(100).fill(1) },
      {},
      'insufficient gas for floor data gas cost: gas 24000, minimum needed 25000',
    ],
    [
      'no tip',
      { maxPriorityFeePerGas: 0n },
      {},
      'transaction underpriced: gas tip cap 0, minimum needed 1',
    ],
    [
      'a fee cap that no block can have',
      { maxFeePerGas: 9n },
      {},
      'transaction underpriced: gas fee cap 9, minimum needed 10',
    ],
    [
      'a tip above the fee cap',
      { maxFeePerGas: 20n, maxPriorityFeePerGas: 21n },
      {},
      'max priority fee per gas higher than max fee per gas',
    ],
    [
      'set code without authorization',
      { type: 4 },
      {},
      'set code tx must have at least one authorization tuple',
    ],
    [
      'a nonce of the past',
      { nonce: 3n },
      { funds: { nonce: 5n } },
      'nonce too low: next nonce 5, tx nonce 3',
    ],
    [
      'more than the account has',
      { value: 1n, maxFeePerGas: 100n },
      { funds: { balance: 2_100_000n } },
      'insufficient funds for gas * price + value: balance 2100000, tx cost 2100001, overshot 1',
    ],
  ]
  test.each(refusals)('refuses %s', async (_, fields, setup, text) => {
    const pool = openPool(setup)
    const refusal = { code: 'TRANSACTION_REJECTED', message: text }
    await expect(pool.add(encodeFrom(ALICE, fields))).rejects.toMatchObject(refusal)
    await expect(pool.check(encodeFrom(ALICE, fields))).rejects.toMatchObject(refusal)
    expect([pool.size, pool.bytes]).toEqual([0, 0])
  })

  test('accepts more gas than an execution may use in Amsterdam, where state costs gas too', async () => {
    const rules = { revision: 'Amsterdam', maxGas: 60_000_000n } as const
    const pool = openPool({ rules })
    await pool.add(encodeFrom(ALICE, { gas: 30_000_000n }))
    expect(pool.size).toBe(1)
  })

  test('remembers transactions that can never be valid, and refuses them again without a check', async () => {
    let recoveries = 0
    for (const refusedKept of [0, 2]) {
      recoveries = 0
      const pool = openPool({ funds: { nonce: 5n }, refusedKept, onRecovery: () => recoveries++ })
      const raws = [1n, 2n, 3n].map((nonce) => encodeFrom(ALICE, { nonce }))
      for (const raw of [...raws, ...raws.slice(1), raws[0]]) {
        await expect(pool.add(raw as Uint8Array)).rejects.toMatchObject({
          code: 'TRANSACTION_REJECTED',
          message: expect.stringMatching(/^nonce too low: next nonce 5, tx nonce [123]$/),
        })
      }
      // Only the latest two of three are remembered.
      expect(recoveries).toBe(refusedKept === 0 ? 6 : 4)
      const poor = encodeFrom(ALICE, { nonce: 5n, value: 10n ** 30n })
      for (const _ of [1, 2]) await expect(pool.add(poor)).rejects.toThrow('insufficient funds')
      expect(recoveries).toBe(refusedKept === 0 ? 8 : 6)
    }
  })

  test('can check a transaction without adding it', async () => {
    const pool = openPool()
    const raw = encodeFrom(ALICE, {})
    expect((await pool.check(raw)).raw).toEqual(raw)
    expect([pool.size, pool.bytes]).toEqual([0, 0])
    await pool.add(raw)
    await expect(pool.check(raw)).rejects.toThrow('already known')
  })

  test('refuses bytes that cannot be decoded', async () => {
    const pool = openPool()
    await expect(pool.add(Uint8Array.of())).rejects.toThrow('typed transaction too short')
    await expect(pool.add(Uint8Array.of(0xc0))).rejects.toThrow(
      'rlp: too few elements for types.LegacyTx',
    )
  })

  test('refuses a signature that recovers no key', async () => {
    await expect(openPool().add(encodeFrom(new Uint8Array(20)))).rejects.toThrow(
      'invalid sender: invalid transaction v, r, s values',
    )
  })

  test('refuses everything before there is a state', async () => {
    const pool = new Mempool({
      rules: POOL_RULES,
      limits: POOL_LIMITS,
      recovery: senderInR,
      journal: undefined,
      clock: () => 0,
    })
    // The expiry timer may fire before the genesis state exists.
    pool.expire()
    await expect(pool.add(encodeFrom(ALICE))).rejects.toMatchObject({ code: 'SERVER_BUSY' })
  })

  test('refuses transactions that are already in the pool', async () => {
    const pool = openPool()
    const hash = await pool.add(encodeFrom(ALICE))
    expect(pool.get(hash)?.from).toEqual(ALICE)
    await expect(pool.add(encodeFrom(ALICE))).rejects.toThrow('already known')
    // Neither is known while both senders are being recovered
    const twice = encodeFrom(BOB)
    const ends = await Promise.allSettled([pool.add(twice), pool.add(twice), pool.check(twice)])
    expect(ends).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'already known' } },
      { status: 'rejected', reason: { message: 'already known' } },
    ])
  })

  test('counts the pending costs of the sender against its balance', async () => {
    const pool = openPool({ funds: { balance: 5_000_000n } })
    await pool.add(encodeFrom(ALICE, { nonce: 0n }))
    await pool.add(encodeFrom(ALICE, { nonce: 1n }))
    await expect(pool.add(encodeFrom(ALICE, { nonce: 2n }))).rejects.toThrow(
      'insufficient funds for gas * price + value: balance 5000000, queued cost 4200000, tx cost 2100000, overshot 1300000',
    )
    await expect(
      pool.add(encodeFrom(ALICE, { nonce: 1n, maxFeePerGas: 200n, maxPriorityFeePerGas: 2n })),
    ).rejects.toThrow(
      'insufficient funds for gas * price + value: balance 5000000, queued cost 4200000, tx bumped 2100000, overshot 1300000',
    )
  })

  test('limits the transactions of one sender after a nonce gap', async () => {
    const pool = openPool()
    for (let nonce = 1n; nonce < 5n; nonce++) await pool.add(encodeFrom(ALICE, { nonce }))
    await expect(pool.add(encodeFrom(ALICE, { nonce: 5n }))).rejects.toMatchObject({
      message: 'account limit exceeded: pooled 4 txs',
      hint: 'send the transaction with nonce 0 first: those after it wait for it',
    })
    await pool.add(encodeFrom(BOB, { nonce: 1n }))
    await pool.add(encodeFrom(ALICE, { nonce: 0n }))
    await pool.add(encodeFrom(ALICE, { nonce: 5n }))
    expect(pool.pending()[0]?.transactions).toHaveLength(6)
  })

  test('counts all queued transactions against the balance of their sender', async () => {
    const pool = openPool({ funds: { balance: 5_000_000n } })
    await pool.add(encodeFrom(ALICE, { nonce: 1n }))
    await pool.add(encodeFrom(ALICE, { nonce: 2n }))
    await expect(pool.add(encodeFrom(ALICE, { nonce: 3n }))).rejects.toThrow(
      'insufficient funds for gas * price + value: balance 5000000, queued cost 4200000, tx cost 2100000, overshot 1300000',
    )
    // Queued transactions do not block one that is executable at once.
    await pool.add(encodeFrom(ALICE, { nonce: 0n }))
    expect(pool.pending()[0]?.transactions.map((t) => t.nonce)).toEqual([0n, 1n])
    expect(pool.queued()[0]?.transactions.map((t) => t.nonce)).toEqual([2n])
  })

  test('accepts an unprotected transaction if the configuration allows it', async () => {
    const pool = openPool({ rules: { allowUnprotected: true } })
    await pool.add(encodeFrom(ALICE, { type: 0, chainId: undefined, maxPriorityFeePerGas: 100n }))
    expect(pool.size).toBe(1)
  })
})

describe('a replacement', () => {
  test.each([
    [110n, 110n, true],
    [109n, 110n, false],
    [110n, 109n, false],
    [100n, 100n, false],
  ])(
    'must raise both prices by a tenth: fee cap %s and tip %s in place of 100 and 100',
    async (cap, tip, taken) => {
      const pool = openPool()
      const first = await pool.add(
        encodeFrom(ALICE, { maxFeePerGas: 100n, maxPriorityFeePerGas: 100n }),
      )
      const second = pool.add(
        encodeFrom(ALICE, { maxFeePerGas: cap, maxPriorityFeePerGas: tip, value: 1n }),
      )
      if (taken) {
        const hash = await second
        expect(pool.get(first)).toBeUndefined()
        expect(pool.get(hash)?.maxFeePerGas).toBe(cap)
        expect(pool.size).toBe(1)
      } else {
        await expect(second).rejects.toThrow(
          cap < tip ? 'max priority fee per gas higher' : 'replacement transaction underpriced',
        )
        expect(pool.get(first)).toBeDefined()
      }
    },
  )
})

describe('the order of a proposal', () => {
  test('is by tip between senders, by nonce within one sender, and by arrival between equal tips', async () => {
    const pool = openPool()
    const send = async (sender: Uint8Array, nonce: bigint, tip: bigint) =>
      pool.add(encodeFrom(sender, { nonce, maxPriorityFeePerGas: tip }))
    await send(ALICE, 0n, 5n)
    await send(ALICE, 1n, 90n)
    await send(BOB, 0n, 7n)
    await send(CAROL, 0n, 5n)
    expect(drain(pool, 10n).map((t) => [t.from[19], t.nonce])).toEqual([
      [2, 0n],
      [1, 0n],
      [1, 1n],
      [3, 0n],
    ])
  })

  test("ends a sender's transactions at the first one with a fee cap below the base fee", async () => {
    const pool = openPool()
    await pool.add(encodeFrom(ALICE, { nonce: 0n, maxFeePerGas: 100n }))
    await pool.add(encodeFrom(ALICE, { nonce: 1n, maxFeePerGas: 49n }))
    await pool.add(encodeFrom(ALICE, { nonce: 2n, maxFeePerGas: 100n }))
    await pool.add(encodeFrom(BOB, { maxFeePerGas: 49n }))
    expect(drain(pool, 50n).map((t) => [t.from[19], t.nonce])).toEqual([[1, 0n]])
  })

  test('skips the later transactions of a sender after one of them is skipped', async () => {
    const pool = openPool()
    await pool.add(encodeFrom(ALICE, { nonce: 0n, maxPriorityFeePerGas: 9n }))
    await pool.add(encodeFrom(ALICE, { nonce: 1n, maxPriorityFeePerGas: 9n }))
    await pool.add(encodeFrom(BOB))
    const order = pool.candidates(10n)
    order.skip()
    expect(order.peek()?.from).toEqual(BOB)
    order.take()
    expect(order.peek()).toBeUndefined()
  })
})

describe('transactions in nonce order', () => {
  test('wait for the earlier ones and are announced once they are executable', async () => {
    const pool = openPool()
    const announced: bigint[] = []
    const stop = pool.onPending(({ nonce }) => announced.push(nonce))
    await pool.add(encodeFrom(ALICE, { nonce: 2n }))
    await pool.add(encodeFrom(ALICE, { nonce: 1n }))
    expect(announced).toEqual([])
    expect(pool.nextNonce(ALICE)).toBe(0n)
    expect(pool.queued().map((s) => s.transactions.map((t) => t.nonce))).toEqual([[1n, 2n]])
    await pool.add(encodeFrom(ALICE, { nonce: 0n }))
    expect(announced).toEqual([0n, 1n, 2n])
    expect(pool.nextNonce(ALICE)).toBe(3n)
    expect(pool.queued()).toEqual([])
    stop()
    await pool.add(encodeFrom(ALICE, { nonce: 3n }))
    expect(announced).toHaveLength(3)
  })

  test('follow the state nonce after a block', async () => {
    const pool = openPool()
    for (const nonce of [0n, 1n, 3n]) await pool.add(encodeFrom(ALICE, { nonce }))
    const announced: bigint[] = []
    pool.onPending(({ nonce }) => announced.push(nonce))
    pool.advance(head(1), row(ALICE, { nonce: 3n }))
    expect(pool.size).toBe(1)
    expect(announced).toEqual([3n])
    expect(pool.nextNonce(ALICE)).toBe(4n)
  })

  test('start at the state nonce if the pool has no transaction of the account', () => {
    expect(openPool({ funds: { nonce: 7n } }).nextNonce(BOB)).toBe(7n)
  })
})

describe('after a block the pool', () => {
  test('drops what its sender can no longer pay, and queues the later nonces', async () => {
    const pool = openPool()
    await pool.add(encodeFrom(ALICE, { nonce: 0n }))
    await pool.add(encodeFrom(ALICE, { nonce: 1n, value: 10n ** 9n }))
    await pool.add(encodeFrom(ALICE, { nonce: 2n }))
    pool.advance(head(1), row(ALICE, { balance: 10n ** 8n }))
    expect(pool.pending()[0]?.transactions.map((t) => t.nonce)).toEqual([0n])
    expect(pool.queued()[0]?.transactions.map((t) => t.nonce)).toEqual([2n])
  })

  test('drops transactions past their lifetime in time or blocks', async () => {
    let now = 0
    const pool = openPool({ limits: { ttlDuration: 5000, ttlBlocks: 5 }, clock: () => now })
    await pool.add(encodeFrom(ALICE))
    now = 3000
    await pool.add(encodeFrom(BOB))
    now = 5000
    pool.advance(head(1), new Uint8Array())
    expect(pool.size).toBe(2)
    now = 5001
    pool.advance(head(2), new Uint8Array())
    expect(pool.pending().map((s) => s.sender)).toEqual([BOB])
    pool.advance(head(6), new Uint8Array())
    expect(pool.size).toBe(0)
    expect(pool.bytes).toBe(0)
  })

  test('can drop a transaction that fits into no block', async () => {
    const pool = openPool()
    const hash = await pool.add(encodeFrom(ALICE))
    pool.drop([pool.get(hash) as Transaction])
    expect(pool.size).toBe(0)
  })
})

describe('a pool that is full', () => {
  const limits = { maxTransactions: 3 }
  test('evicts the last transaction of the sender that pays least', async () => {
    const pool = openPool({ limits })
    await pool.add(encodeFrom(ALICE, { nonce: 0n, maxPriorityFeePerGas: 2n }))
    await pool.add(encodeFrom(ALICE, { nonce: 1n, maxPriorityFeePerGas: 50n }))
    await pool.add(encodeFrom(BOB, { maxPriorityFeePerGas: 9n }))
    await pool.add(encodeFrom(CAROL, { maxPriorityFeePerGas: 3n }))
    expect(drain(pool, 10n).map((t) => [t.from[19], t.nonce])).toEqual([
      [2, 0n],
      [3, 0n],
      [1, 0n],
    ])
  })

  test('refuses a transaction that pays no more than its cheapest one', async () => {
    const pool = openPool({ limits: { maxTransactions: 1 } })
    await pool.add(encodeFrom(ALICE, { maxPriorityFeePerGas: 2n }))
    await expect(pool.add(encodeFrom(BOB, { maxPriorityFeePerGas: 2n }))).rejects.toThrow(
      'transaction underpriced: the pool is full (mempool.size 1) and effective gas tip 2 is not above the lowest held',
    )
  })

  test('does not evict for a transaction that follows a cheap one of the same sender', async () => {
    const pool = openPool({ limits: { maxTransactions: 2 } })
    await pool.add(encodeFrom(ALICE, { nonce: 0n, maxPriorityFeePerGas: 2n }))
    await pool.add(encodeFrom(BOB, { maxPriorityFeePerGas: 3n }))
    await expect(
      pool.add(encodeFrom(ALICE, { nonce: 1n, maxPriorityFeePerGas: 90n })),
    ).rejects.toThrow('transaction underpriced')
  })

  test('limits the bytes as well, and still accepts replacements', async () => {
    const raw = encodeFrom(ALICE, { maxPriorityFeePerGas: 2n })
    const pool = openPool({ limits: { maxBytes: raw.length + 2_400 } })
    await pool.add(raw)
    await pool.add(encodeFrom(ALICE, { maxPriorityFeePerGas: 3n, maxFeePerGas: 127n }))
    await pool.add(encodeFrom(BOB, { maxPriorityFeePerGas: 4n }))
    expect(pool.pending().map((s) => s.sender)).toEqual([BOB])
  })
})
