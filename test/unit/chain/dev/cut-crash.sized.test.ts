import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { parseData } from '../../../../host/base/hex.ts'
import { ConsensusBlockStore } from '../../../../host/chain/consensus/embedded/block-store.ts'
import { Mempool } from '../../../../host/chain/consensus/mempool/mempool.ts'
import { DevJournal } from '../../../../host/chain/dev/dev-journal.ts'
import { EMPTY_CODE_HASH } from '../../../../host/evm/state/account.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { EmbeddedBlocks } from '../../../../host/node/offline/rollback-blocks.ts'
import { LmdbChainStore } from '../../../../host/storage/store/chain/lmdb-chain-store.ts'
import { NodeStorage } from '../../../../host/storage/store/node-storage.ts'
import { SplitState } from '../../../../host/storage/store/state/split-state.ts'
import { StorageRollback } from '../../../../host/storage/store/storage-rollback.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { bySet } from '../../../support/run/by-set.ts'
import {
  amendment,
  copyDevHome,
  type DrivenHome,
  makeDevHome,
  openDriven,
  readChain,
} from './driven-home.ts'

/** Later than any machine's clock. Votes then take the time of their block, so two chains are identical. */
const FUTURE = 4_102_444_800
const STRANGER = `0x${'11'.repeat(20)}`
const ADDRESSES = [STRANGER, devAccount(0).address.toLowerCase()]
const SLOTS = [new Uint8Array(32)]

/** The sampling rate of steps. The step at which the removal becomes effective is always included. */
const ONE_IN = bySet(24, 3)
/** Whether the blocks were flushed before they are removed. */
const FLUSHED = bySet([true], [false, true])

let root: string
let expected: { readonly before: unknown[]; readonly after: unknown[] }
let count = 0
const newDir = (): string => join(root, `home-${count++}`)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'lockstep-cut-'))
  await makeDevHome(join(root, 'base'))
  expected = await references()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

/** The files that a process killed at this step leaves. */
interface Remains {
  readonly step: string
  readonly dir: string
}

/** Copies the folder of a home before and after each call of a method. */
class Witness {
  readonly remains: Remains[] = []
  readonly #home: string

  constructor(home: string) {
    this.#home = home
  }

  watch<Part extends object>(part: Part, method: keyof Part & string, name: string): void {
    const original = part[method] as (...args: unknown[]) => unknown
    const see = (when: string): void => this.#keep(`${when} ${name}`)
    const watched = function (this: Part, ...args: unknown[]): unknown {
      see('before')
      const result = original.apply(this, args)
      if (!(result instanceof Promise)) {
        see('after')
        return result
      }
      return result.then((value) => {
        see('after')
        return value
      })
    }
    vi.spyOn(part as Record<string, () => unknown>, method).mockImplementation(watched as never)
  }

  #keep(step: string): void {
    const dir = newDir()
    cpSync(this.#home, dir, { recursive: true })
    rmSync(homeAt(dir).lock, { force: true })
    this.remains.push({ step, dir })
  }
}

async function send({ pool, dev, stores }: DrivenHome, time: number): Promise<void> {
  const account = devAccount(0)
  const { chain } = stores.amended
  const raw = await account.signTransaction({
    type: 'legacy',
    chainId: 31337,
    nonce: Number(pool.nextNonce(parseData(account.address))),
    gas: 21_000n,
    gasPrice: (chain.header(chain.latest)?.baseFeePerGas ?? 0n) * 2n + 1_000_000_000n,
    value: 7n,
    to: STRANGER as `0x${string}`,
  })
  await pool.add(parseData(raw))
  await dev.mine({ blocks: 1, timestamp: time })
}

function give({ dev }: DrivenHome, balance: bigint): Promise<void> {
  const account = { nonce: 3n, balance, codeHash: EMPTY_CODE_HASH }
  return dev.amend(() => amendment({ accounts: [[STRANGER, account]] }))
}

/** Distance of block times, large enough to reveal a clock that was set back. */
const HOUR = 3600

/** Returns everything that the chain answers, including pending transactions, clock and settings. */
function read(home: DrivenHome): unknown {
  const { next, time } = home.dev
  const hours = Math.round((time.now - FUTURE) / HOUR)
  return {
    hours,
    gasLimit: next.gasLimit,
    waiting: home.pool.counts,
    chain: readChain(home, ADDRESSES, SLOTS, []),
  }
}

const OLDER = 1n
const ID = 2n

/** Makes a chain with blocks and amendments below and above a snapshot. */
async function makeChain(): Promise<{ home: DrivenHome; dir: string }> {
  const dir = newDir()
  copyDevHome(join(root, 'base'), dir)
  const home = await openDriven(dir)
  await send(home, FUTURE)
  expect(await home.dev.snapshot()).toBe(OLDER)
  await give(home, 5n)
  home.dev.next.gasLimit = 9_000_000n
  expect(await home.dev.snapshot()).toBe(ID)
  await give(home, 6n)
  home.dev.next.gasLimit = 8_000_000n
  await send(home, FUTURE + HOUR)
  await send(home, FUTURE + 2 * HOUR)
  await give(home, 8n)
  return { home, dir }
}

/** Returns everything that the chain answers now and after each operation that may follow. */
async function look(home: DrivenHome): Promise<unknown[]> {
  const seen: unknown[] = [read(home)]
  seen.push(await home.dev.revert(ID), read(home))
  await send(home, FUTURE + 9 * HOUR)
  seen.push(read(home), await home.dev.revert(ID), await home.dev.revert(OLDER), read(home))
  await send(home, FUTURE + 10 * HOUR)
  seen.push(read(home), await home.dev.snapshot())
  await home.close()
  return seen
}

/** Returns the answers of a chain that was never reverted, and of one that was. */
async function references(): Promise<{ before: unknown[]; after: unknown[] }> {
  const before = await makeChain()
  const after = await makeChain()
  expect(await after.home.dev.revert(ID)).toBe(true)
  return { before: await look(before.home), after: await look(after.home) }
}

function watchCut(witness: Witness, { stores }: DrivenHome): void {
  witness.watch(Mempool.prototype, 'rewriteJournal', 'the pool forgets blocks')
  witness.watch(stores.committer, 'revert', 'the state commit goes back')
  witness.watch(DevJournal.prototype, 'beginRemoval', 'the journal says what goes')
  witness.watch(LmdbChainStore.prototype, 'forgetAbove', 'blocks in memory go')
  witness.watch(SplitState.prototype, 'forgetAbove', 'state in memory goes')
  witness.watch(SplitState.prototype, 'cut', 'tables of state are cut')
  witness.watch(LmdbChainStore.prototype, 'takeCut', 'tables of blocks are cut')
  witness.watch(NodeStorage.prototype, 'cut', 'the storage is cut')
  witness.watch(ConsensusBlockStore.prototype, 'cut', 'the blocks of consensus go')
  witness.watch(DevJournal.prototype, 'endRemoval', 'the journal says that they are gone')
  witness.watch(DevJournal.prototype, 'save', 'what stays is kept')
}

const BEGUN = 'after the journal says what goes'

for (const isFlushed of FLUSHED) {
  test(`a removal of blocks ${isFlushed ? 'from tables' : 'in memory'} that is killed between any two steps has happened completely or not at all`, async () => {
    const { home, dir } = await makeChain()
    if (isFlushed) await home.stores.storage.settle()
    const witness = new Witness(dir)
    watchCut(witness, home)
    expect(await home.dev.revert(ID)).toBe(true)
    vi.restoreAllMocks()
    await home.close()
    const steps = witness.remains.map(({ step }) => step)
    expect(steps.includes('before tables of state are cut')).toBe(isFlushed)
    const begun = steps.indexOf(BEGUN)
    expect(begun).toBeGreaterThan(0)
    for (const [i, remains] of witness.remains.entries()) {
      if ((i - begun) % ONE_IN !== 0 && i !== begun - 1) continue
      const seen = await look(await openDriven(remains.dir))
      expect(seen, remains.step).toEqual(i < begun ? expected.before : expected.after)
    }
  }, 300_000)
}

test('a removal of blocks that is resumed at a start and killed there again is completed by the next start', async () => {
  const { after } = expected
  const { home, dir } = await makeChain()
  await home.stores.storage.settle()
  const removal = new Witness(dir)
  removal.watch(DevJournal.prototype, 'beginRemoval', 'the journal says what goes')
  await home.dev.revert(ID)
  vi.restoreAllMocks()
  await home.close()
  const half = removal.remains.find(({ step }) => step === BEGUN) as Remains
  const witness = new Witness(half.dir)
  witness.watch(EmbeddedBlocks.prototype, 'rollBack', 'the blocks of consensus go')
  witness.watch(StorageRollback.prototype, 'cut', 'the storage is cut')
  witness.watch(DevJournal.prototype, 'beginRemoval', 'the journal says what goes')
  witness.watch(DevJournal.prototype, 'endRemoval', 'the journal says that they are gone')
  const finished = await openDriven(half.dir)
  vi.restoreAllMocks()
  expect(await look(finished)).toEqual(after)
  expect(witness.remains).toHaveLength(8)
  for (const [i, { step, dir: at }] of witness.remains.entries()) {
    if (i % ONE_IN !== 0) continue
    expect(await look(await openDriven(at)), step).toEqual(after)
  }
}, 300_000)
