import { beforeAll, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { BatchedRecovery } from '../../../../../host/chain/consensus/mempool/batched-recovery.ts'
import { checkTransactions } from '../../../../../host/chain/consensus/mempool/checked-transaction.ts'
import { Mempool } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import { BatchRecovery } from '../../../../../host/evm/engine/batch-recovery.ts'
import { readModule } from '../../../../../host/node/wasm.ts'
import { plainTransaction } from '../../../../support/chain/plain-transaction.ts'
import { wasmRecovery } from '../../../../support/chain/wasm-recovery.ts'
import { devAccount } from '../../../../support/node/dev-wallet.ts'
import { head, POOL_LIMITS, POOL_RULES, row } from '../../../../support/node/test-pool.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'

const ACCOUNTS = 4
const OFFERS = 600
/** Frequent enough that each account's nonce passes some of its transactions under every seed. */
const ADVANCE_EVERY = 25

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))

/** The pool's hash and recovery with counters. */
class CountedRecovery {
  hashes = 0
  recoveries = 0

  keccak256(data: Uint8Array): Uint8Array {
    this.hashes++
    return wasmRecovery.keccak256(data)
  }

  recoverAddress(...signature: Parameters<typeof wasmRecovery.recoverAddress>) {
    this.recoveries++
    return wasmRecovery.recoverAddress(...signature)
  }
}

function openPool(recovery: CountedRecovery): Mempool {
  const pool = new Mempool({
    rules: POOL_RULES,
    limits: POOL_LIMITS,
    recovery,
    journal: undefined,
    refusedKept: 8,
    clock: () => 0,
  })
  pool.advance(head(0), new Uint8Array())
  return pool
}

/** Returns the hash of an accepted transaction, or the error as its sender sees it. */
/** Returns the transactions of a pool by sender, executable ones first. */
function contentsOf(pool: Mempool) {
  return [pool.pending(), pool.queued()].map((part) =>
    part.map(({ sender, transactions }) => [sender, transactions.map(plainTransaction)]),
  )
}

async function outcome(adding: Promise<Uint8Array>): Promise<object> {
  try {
    return { hash: Buffer.from(await adding).toString('hex') }
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    const { code, message, hint } = thrown
    return { code, message, hint }
  }
}

/** Signs a random transaction. Half of them obey every rule, except perhaps the nonce; the others may break any. */
async function signAny(random: () => number): Promise<Uint8Array> {
  const kept = random() < 0.5
  const one = <Value>(...values: readonly Value[]) =>
    values[kept ? 0 : Math.floor(random() * values.length)] as Value
  const account = devAccount(Math.floor(random() * ACCOUNTS))
  const common = {
    chainId: one(1329, 1329, 1329, 1329, 1329, 1329, 1),
    nonce: Math.floor(random() * 6),
    gas: one(21_000n, 100_000n, 100_000n, 100_000n, 20_999n, 20_000_000n),
    value: one(0n, 1n, 10n ** 17n, 10n ** 18n),
    ...one({ to: devAccount(9).address }, { to: devAccount(9).address }, {}),
    data: one<`0x${string}`>('0x', '0x', '0x', '0x00ff', '0x00ff', `0x${'fe'.repeat(60_000)}`),
  }
  const fee = one(10n, 20n, 22n, 40n, 5n)
  const signed = await account.signTransaction(
    random() < 0.4
      ? { ...common, type: 'legacy', gasPrice: fee }
      : {
          ...common,
          type: 'eip1559',
          maxFeePerGas: fee,
          maxPriorityFeePerGas: one(1n, 2n, 5n, 0n),
        },
  )
  return bytes(signed)
}

function damaged(raw: Uint8Array, random: () => number): Uint8Array {
  if (random() < 0.2) return raw.slice(0, Math.floor(random() * raw.length))
  const copy = raw.slice()
  const at = Math.floor(random() * copy.length)
  copy[at] = (copy[at] as number) ^ (1 << Math.floor(random() * 8))
  return copy
}

describe('a transaction that an RPC worker has checked', () => {
  let module: WebAssembly.Module

  beforeAll(async () => {
    module = await WebAssembly.compile(await readModule('recovery'))
  })

  const seed = runSeed()
  test(`has the same outcome as one that the pool checks itself; seed ${seed}`, async () => {
    const random = makeRandom(seed)
    const [own, spared] = [new CountedRecovery(), new CountedRecovery()]
    const [plain, fast] = [openPool(own), openPool(spared)]
    const recovery = new BatchedRecovery(new BatchRecovery(module))
    const known = await Promise.all(Array.from({ length: 80 }, () => signAny(random)))
    const ends = new Map<string, number>()
    let unchecked = 0
    for (let offer = 0; offer < OFFERS; offer++) {
      const any = known[Math.floor(random() * known.length)] as Uint8Array
      const raw = random() < 0.25 ? damaged(any, random) : any
      const [checked] = await checkTransactions([raw], POOL_RULES, wasmRecovery.keccak256, recovery)
      if (checked === undefined) unchecked++
      const { hashes, recoveries } = spared
      const [expected, found] = [
        await outcome(plain.add(raw)),
        await outcome(fast.add(raw, { checked })),
      ]
      expect(found).toEqual(expected)
      if (checked !== undefined) {
        expect([spared.hashes, spared.recoveries]).toEqual([hashes, recoveries])
      }
      const { message = 'taken' } = found as { message?: string }
      const end = message.split(':')[0] as string
      ends.set(end, (ends.get(end) ?? 0) + 1)
      if (offer % ADVANCE_EVERY === 0) {
        const account = row(bytes(devAccount((offer / ADVANCE_EVERY) % ACCOUNTS).address), {
          nonce: BigInt(1 + Math.floor(random() * 4)),
          balance: 10n ** 18n,
        })
        for (const pool of [plain, fast]) pool.advance(head(offer), account)
      }
    }
    expect(contentsOf(fast)).toEqual(contentsOf(plain))
    for (const end of ['taken', 'already known', 'exceeds block gas limit', 'nonce too low']) {
      expect(ends.get(end) ?? 0, end).toBeGreaterThan(0)
    }
    expect(unchecked).toBeGreaterThan(50)
    expect(unchecked).toBeLessThan(OFFERS - 50)
  })

  test(`has the same outcome when it is checked in a batch; seed ${seed}`, async () => {
    const random = makeRandom(seed)
    const [alone, together] = [openPool(new CountedRecovery()), openPool(new CountedRecovery())]
    const recovery = new BatchedRecovery(new BatchRecovery(module))
    const known = await Promise.all(Array.from({ length: 80 }, () => signAny(random)))
    let taken = 0
    for (let offer = 0; offer < OFFERS; ) {
      const count = 1 + Math.floor(random() * 8)
      offer += count
      const raws = Array.from({ length: count }, () => {
        const any = known[Math.floor(random() * known.length)] as Uint8Array
        return random() < 0.25 ? damaged(any, random) : any
      })
      const { keccak256 } = wasmRecovery
      const checked = await checkTransactions(raws, POOL_RULES, keccak256, recovery)
      const submissions = raws.map((raw, i) => ({ raw, checked: checked[i] }))
      const [expected, ends] = await Promise.all([
        Promise.all(submissions.map((one) => outcome(alone.add(one.raw, one)))),
        together.addAll(submissions),
      ])
      const found = ends.map((end) =>
        outcome(end instanceof Uint8Array ? Promise.resolve(end) : Promise.reject(end)),
      )
      expect(await Promise.all(found)).toEqual(expected)
      taken += ends.filter((end) => end instanceof Uint8Array).length
      const account = row(bytes(devAccount(offer % ACCOUNTS).address), {
        nonce: BigInt(Math.floor(random() * 3)),
        balance: 10n ** 18n,
      })
      for (const pool of [alone, together]) pool.advance(head(offer), account)
    }
    expect(contentsOf(together)).toEqual(contentsOf(alone))
    expect(taken).toBeGreaterThan(5)
  })

  test('passes although other transactions of its batch break a rule', async () => {
    const recovery = new BatchedRecovery(new BatchRecovery(module))
    const raws = await Promise.all(
      Array.from({ length: 120 }, async (_, nonce) => {
        const account = devAccount(nonce % ACCOUNTS)
        const gas = nonce % 7 === 3 ? 20_999n : 21_000n
        const fields = { chainId: 1329, nonce, gas, to: account.address, gasPrice: 10n }
        return bytes(await account.signTransaction({ ...fields, type: 'legacy' }))
      }),
    )
    const found = await checkTransactions(raws, POOL_RULES, wasmRecovery.keccak256, recovery)
    const known = found.map((one) => one && [one.hash, one.from])
    expect(known).toEqual(
      raws.map((raw, i) =>
        i % 7 === 3
          ? undefined
          : [wasmRecovery.keccak256(raw), bytes(devAccount(i % ACCOUNTS).address)],
      ),
    )
  })
})
