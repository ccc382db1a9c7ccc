import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FileJournal } from '../../../../../host/chain/consensus/mempool/journal.ts'
import {
  encodeRecords,
  type PooledRecord,
  RECORD_OVERHEAD,
  readRecords,
} from '../../../../../host/chain/consensus/mempool/journal-record.ts'
import type { Restored } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import {
  engineRecord,
  RecordedTransaction,
} from '../../../../../host/evm/engine/transaction-record.ts'
import { encodeFrom, senderInR } from '../../../../support/engine/unsigned-sender.ts'
import {
  ALICE,
  BOB,
  drain,
  head,
  openPool,
  type PoolSetup,
  row,
} from '../../../../support/node/test-pool.ts'
import { until } from '../../../../support/until.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mempool-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const path = () => join(folder, 'mempool.journal')
const size = () => readFileSync(path()).length

/** Opens a pool on the same journal, as the next process would. @returns the pool and what it restored */
function reopen(setup: PoolSetup = {}) {
  let restored: Restored | undefined
  const onRestored = (what: Restored) => {
    restored = what
  }
  const pool = openPool({ ...setup, journal: new FileJournal(path()), onRestored })
  return { pool, restored: restored as Restored | undefined }
}

const recordOf = (byte: number, length: number): PooledRecord => ({
  raw: new Uint8Array(length).fill(byte),
  from: ALICE,
  time: 1_700_000_000_000 + byte,
  height: byte,
})

describe('the records of the journal', () => {
  const records = [recordOf(1, 90), recordOf(0xf7, 200), recordOf(3, 0), recordOf(4, 120)]
  const parts = records.map((record) => encodeRecords([record]))
  const bytes = Buffer.concat(parts)

  test('are read back as they were written', () => {
    expect(readRecords(bytes)).toEqual({ records, lost: 0 })
  })

  test('are read back up to the point at which a crash truncated the file', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const whole = parts.filter((_, i) => Buffer.concat(parts.slice(0, i + 1)).length <= cut)
      const read = readRecords(bytes.subarray(0, cut))
      expect(read.records).toEqual(records.slice(0, whole.length))
      expect(read.lost).toBe(cut - Buffer.concat(whole).length)
    }
  })

  test('are lost one by one if their bytes are damaged', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] as number) ^ mask
        let hit = 0
        for (let end = 0; hit < parts.length; hit++) {
          end += (parts[hit] as Uint8Array).length
          if (at < end) break
        }
        const read = readRecords(damaged)
        expect(read.records).toEqual(records.filter((_, i) => i !== hit))
        expect(read.lost).toBe((parts[hit] as Uint8Array).length)
      }),
    )
  })
})

describe('a pool with a journal file', () => {
  test('restores every acknowledged transaction in the next process', async () => {
    const first = reopen().pool
    const sent = [0n, 1n, 2n, 3n].map((nonce) => encodeFrom(ALICE, { nonce }))
    const hashes = await Promise.all(sent.map((raw) => first.add(raw)))
    // The process dies here: nothing is closed.
    const { pool, restored } = reopen({ funds: { nonce: 1n } })
    expect(restored).toEqual({
      transactions: 3,
      dropped: new Map([['nonce too low', 1]]),
      lostBytes: 0,
    })
    expect(pool.get(hashes[0] as Uint8Array)).toBeUndefined()
    expect(drain(pool, 10n).map((t) => t.nonce)).toEqual([1n, 2n, 3n])
    pool.close()
    first.close()
  })

  test('restores its transactions at the first head, however large the journal is', async () => {
    const large = { limits: { maxBytes: 100_000_000, accountQueue: 18, globalQueue: 18 } }
    const first = reopen(large).pool
    const data = new Uint8Array(100_000)
    for (let nonce = 1n; nonce <= 18n; nonce++) {
      await first.add(encodeFrom(ALICE, { nonce, data, gas: 2_000_000n }))
    }
    first.close()
    expect(size()).toBeGreaterThan(1_800_000)
    const { pool } = reopen(large)
    expect(pool.queuedCount).toBe(18)
    pool.advance(head(1), new Uint8Array())
    expect(pool.queuedCount).toBe(18)
    pool.close()
  })

  test('reports why it drops journaled transactions', async () => {
    const first = reopen().pool
    await first.add(encodeFrom(ALICE, { nonce: 0n }))
    await first.add(encodeFrom(BOB, { nonce: 2n }))
    await first.add(encodeFrom(BOB, { nonce: 3n }))
    first.close()
    const poor = reopen({ funds: { balance: 2_100_000n } })
    expect(poor.restored).toEqual({
      transactions: 2,
      dropped: new Map([['insufficient funds for gas * price + value', 1]]),
      lostBytes: 0,
    })
    poor.pool.close()
    const other = reopen({ rules: { chainId: 5n } })
    expect(other.restored?.dropped).toEqual(new Map([['invalid sender', 2]]))
    other.pool.close()
  })

  test('writes a transaction before it acknowledges it', async () => {
    const { pool } = reopen()
    const raw = encodeFrom(ALICE)
    const added = pool.add(raw)
    expect(size()).toBe(0)
    await added
    expect(new Uint8Array(readFileSync(path()).subarray(RECORD_OVERHEAD))).toEqual(raw)
    pool.close()
  })

  test('appends after a record that a crash truncated', async () => {
    const first = reopen().pool
    await first.add(encodeFrom(ALICE, { nonce: 0n }))
    await first.add(encodeFrom(ALICE, { nonce: 1n }))
    first.close()
    truncateSync(path(), size() - 1)
    const next = reopen()
    expect(next.restored).toMatchObject({ transactions: 1 })
    expect(next.restored?.lostBytes).toBeGreaterThan(0)
    await next.pool.add(encodeFrom(ALICE, { nonce: 1n }))
    next.pool.close()
    expect(reopen().restored).toMatchObject({ transactions: 2 })
  })

  test('survives arbitrary bytes in the file', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        writeFileSync(path(), bytes)
        const { pool, restored } = reopen()
        expect(restored).toEqual({ transactions: 0, dropped: new Map(), lostBytes: bytes.length })
        pool.close()
      }),
      { numRuns: 50 },
    )
  })

  test('contains no included transaction after it is closed, or reopened after a crash', async () => {
    const { pool } = reopen()
    await pool.add(encodeFrom(ALICE, { nonce: 0n }))
    await pool.add(encodeFrom(BOB, { nonce: 0n }))
    const both = readFileSync(path())
    pool.advance(head(2), row(ALICE, { nonce: 1n }))
    expect(readFileSync(path())).toEqual(both)
    pool.close()
    const one = readFileSync(path())
    expect(readRecords(one).records.map(({ from }) => from)).toEqual([BOB])
    // A crash leaves the records that a clean shutdown removes.
    writeFileSync(path(), both)
    const again = reopen({ funds: { nonce: 1n } })
    expect(again.restored).toMatchObject({ transactions: 0 })
    expect(size()).toBe(0)
    again.pool.close()
  })

  test('keeps the ages of transactions across a restart', async () => {
    const limits = { ttlDuration: 5000, lifetime: 4000 }
    const first = reopen({ limits, clock: () => 1_000 }).pool
    await first.add(encodeFrom(ALICE))
    await first.add(encodeFrom(BOB, { nonce: 1n }))
    first.close()
    let now = 4_900
    const { pool } = reopen({ limits, clock: () => now })
    expect(pool.size).toBe(2)
    now = 5_001
    pool.expire()
    expect(pool.queuedCount).toBe(0)
    expect(pool.size).toBe(1)
    now = 6_001
    pool.expire()
    expect(pool.size).toBe(0)
    pool.close()
  })

  test('shrinks its file when most of it is obsolete, and keeps it within twice the live size', async () => {
    const { pool } = reopen({ limits: { maxBytes: 10_000_000 } })
    const data = new Uint8Array(100_000)
    for (let nonce = 0n; nonce < 12n; nonce++) {
      await pool.add(encodeFrom(ALICE, { nonce, data, gas: 2_000_000n }))
    }
    expect(size()).toBeGreaterThan(1_200_000)
    pool.advance(head(1), row(ALICE, { nonce: 12n }))
    await until(() => size() === 0)
    for (let turn = 0; turn < 40; turn++) {
      const fee = BigInt(Math.round(100 * 1.2 ** turn))
      const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee }
      await pool.add(encodeFrom(ALICE, { nonce: 13n, data, gas: 2_000_000n, ...fees }))
    }
    await until(() => {
      // A node does this every second.
      pool.expire()
      return size() < 2 * pool.bytes + (1 << 20) + 1000
    })
    expect(pool.size).toBe(1)
    pool.close()
  })
})

describe('a rewrite of the journal', () => {
  const append = (journal: FileJournal, byte: number) => journal.append(recordOf(byte, 100))
  const held = () => {
    const journal = new FileJournal(path())
    const { records } = journal.restore()
    journal.close()
    return records.map(({ height }) => height)
  }

  test('is refused before the restored transactions were read', async () => {
    const first = new FileJournal(path())
    await append(first, 1)
    first.close()
    const journal = new FileJournal(path())
    await expect(journal.rewrite(() => [])).rejects.toMatchObject({ code: 'CONSENSUS_FAILURE' })
    journal.close()
    expect(held()).toEqual([1])
  })

  test('reports when everything that was appended is durable', async () => {
    const journal = new FileJournal(path())
    await journal.written()
    expect(size()).toBe(0)
    void append(journal, 1)
    void append(journal, 2)
    await journal.written()
    expect(size()).toBe(2 * (RECORD_OVERHEAD + 100))
    journal.close()
  })

  test('keeps transactions that are appended while it runs', async () => {
    const journal = new FileJournal(path())
    journal.restore()
    for (const byte of [1, 2, 3]) await append(journal, byte)
    const rewritten = journal.rewrite(() => [recordOf(2, 100)])
    await append(journal, 4)
    const last = append(journal, 5)
    await rewritten
    await last
    await append(journal, 6)
    expect(journal.bytes).toBe(size())
    expect(held()).toEqual([2, 4, 5, 6])
    journal.close()
  })

  test('changes nothing if a crash ends it before the new file replaces the old one', async () => {
    const journal = new FileJournal(path())
    journal.restore()
    await append(journal, 1)
    writeFileSync(`${path()}.new`, encodeRecords([recordOf(9, 100)]).subarray(0, 60))
    expect(held()).toEqual([1])
    await journal.rewrite(() => [recordOf(1, 100)])
    expect(held()).toEqual([1])
    journal.close()
  })

  test('that fails changes nothing, is reported, and is retried after a mebibyte', async () => {
    const errors: unknown[] = []
    const journal = new FileJournal(path(), (error) => errors.push(error))
    journal.restore()
    await append(journal, 1)
    mkdirSync(`${path()}.new`)
    await journal.rewrite(() => [])
    expect(errors).toHaveLength(1)
    await journal.rewrite(() => [])
    expect(errors).toHaveLength(1)
    await append(journal, 2)
    expect(held()).toEqual([1, 2])
    await journal.append(recordOf(3, 1 << 20))
    await journal.rewrite(() => [recordOf(3, 100)])
    expect(held()).toEqual([3])
    journal.close()
  })

  test('stops when its journal is closed', async () => {
    const journal = new FileJournal(path())
    journal.restore()
    await append(journal, 1)
    const rewritten = journal.rewrite(() => [])
    journal.close()
    await rewritten
    expect(held()).toEqual([1])
  })
})

describe('a journal file that cannot be written', () => {
  test('causes no eviction for a transaction that is refused', async () => {
    const journal = new FileJournal(path())
    const pool = openPool({ journal, limits: { maxTransactions: 2 } })
    const kept = [
      await pool.add(encodeFrom(ALICE, { maxPriorityFeePerGas: 2n })),
      await pool.add(encodeFrom(BOB, { maxPriorityFeePerGas: 3n })),
    ]
    const full = new Error('disk full')
    vi.spyOn(journal, 'append').mockRejectedValue(full)
    const dear = { maxPriorityFeePerGas: 90n, maxFeePerGas: 500n }
    await expect(pool.add(encodeFrom(ALICE, dear))).rejects.toBe(full)
    await expect(pool.add(encodeFrom(new Uint8Array(20).fill(7), dear))).rejects.toBe(full)
    expect(pool.size).toBe(2)
    for (const hash of kept) expect(pool.get(hash)).toBeDefined()
    expect(pool.dropped.unkept).toBe(2)
    const together = [ALICE, BOB].map((from) => {
      const raw = encodeFrom(from, dear)
      const transaction = decodeTransaction(raw, senderInR)
      return { raw, checked: new RecordedTransaction(engineRecord(transaction)) }
    })
    const refused = { raw: together[0]?.raw as Uint8Array, checked: together[0]?.checked }
    const ends = await pool.addAll([...together, refused])
    expect(ends.slice(0, 2)).toEqual([full, full])
    expect(ends[2]).toMatchObject({ message: 'already known' })
    expect(pool.size).toBe(2)
    for (const hash of kept) expect(pool.get(hash)).toBeDefined()
    expect(pool.dropped.unkept).toBe(4)
    pool.close()
  })
})
