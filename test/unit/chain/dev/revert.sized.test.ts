import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { keccak256 } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { parseData } from '../../../../host/base/hex.ts'
import { EMPTY_CODE_HASH } from '../../../../host/evm/state/account.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { runSeed } from '../../../support/random.ts'
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

const RUNS = bySet(1, 4)
const MOST_STEPS = bySet(12, 24)
const seed = runSeed()

/** Increments slot 0 and logs it. */
const COUNTER = '0x6001600054018060005560005260206000a000'
const COUNTER_INIT = `0x6013600c60003960136000f3${COUNTER.slice(2)}`

const SLOTS = [0, 1, 2].map((n) => new Uint8Array(32).fill(n, 31))
const STRANGERS = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}`)
const ADDRESSES = [
  ...STRANGERS,
  ...[0, 1, 2].map((index) => devAccount(index).address.toLowerCase()),
  // The address of account 0's first contract.
  '0x5fbdb2315678afecb367f032d93f642f64180aa3',
]

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-dev-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** An event in the history of a chain. */
type Event =
  | { readonly kind: 'block'; readonly time: number; readonly raws: readonly Uint8Array[] }
  | { readonly kind: 'amend'; readonly diff: ReturnType<typeof amendment> }

async function go({ dev, pool }: DrivenHome, event: Event): Promise<void> {
  if (event.kind === 'amend') {
    await dev.amend(() => event.diff)
    return
  }
  for (const raw of event.raws) await pool.add(raw)
  await dev.mine({ blocks: 1, timestamp: event.time })
}

async function sign(
  { pool, stores }: DrivenHome,
  index: number,
  fields: { readonly to?: string | undefined; readonly data?: string },
): Promise<Uint8Array> {
  const { chain } = stores.amended
  const fee = chain.header(chain.latest)?.baseFeePerGas ?? 0n
  const account = devAccount(index)
  const raw = await account.signTransaction({
    type: 'legacy',
    chainId: 31337,
    nonce: Number(pool.nextNonce(parseData(account.address))),
    gas: 200_000n,
    gasPrice: fee * 2n + 1_000_000_000n,
    value: fields.to === undefined ? 0n : 7n,
    to: fields.to as `0x${string}` | undefined,
    data: (fields.data ?? '0x') as `0x${string}`,
  })
  return parseData(raw)
}

type Step =
  | { readonly kind: 'block'; readonly sends: readonly (readonly [number, number])[] }
  | { readonly kind: 'amend'; readonly who: number; readonly value: number }
  | { readonly kind: 'revert'; readonly which: number }
  | { readonly kind: 'snapshot' | 'restart' | 'flush' | 'read' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.tuple(fc.nat(2), fc.nat(3)), { maxLength: 4 })
      .map((sends) => ({ kind: 'block' as const, sends })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(ADDRESSES.length - 1), fc.nat(3))
      .map(([who, value]) => ({ kind: 'amend' as const, who, value })),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 3, arbitrary: fc.nat().map((which) => ({ kind: 'revert' as const, which })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('flush', 'read', 'restart').map((kind) => ({ kind })),
  },
)

/** Returns an amendment of a balance, nonce, code or slot. The account keeps its other fields. */
function amended(home: DrivenHome, who: number, value: number): ReturnType<typeof amendment> {
  const address = ADDRESSES[who] as string
  const { chain, state } = home.stores.amended
  const record = state.view(chain.latest).account(parseData(address))
  const view = record && new DataView(record.buffer, record.byteOffset)
  const nonce = view?.getBigUint64(0) ?? 0n
  const codeHash = record?.slice(40) ?? EMPTY_CODE_HASH
  const balance = 10n ** 20n + BigInt(value)
  const slot = SLOTS[value % SLOTS.length] as Uint8Array
  const code = parseData(value === 1 ? COUNTER : '0x00')
  const isStranger = STRANGERS.includes(address)
  if (value === 3)
    return amendment({ storage: [[address, slot, new Uint8Array(32).fill(value, 31)]] })
  if (value === 2)
    return amendment({ accounts: [[address, { nonce: nonce + 5n, balance, codeHash }]] })
  if (!isStranger) return amendment({ accounts: [[address, { nonce, balance, codeHash }]] })
  const hash = parseData(keccak256(code))
  return amendment({
    accounts: [[address, { nonce, balance, codeHash: hash }]],
    codes: [{ codeHash: hash, code }],
    storage: [[address, SLOTS[0] as Uint8Array, new Uint8Array(32).fill(9, 31)]],
  })
}

interface Snapshot {
  readonly id: bigint
  readonly events: number
}

test(`a chain that was reverted, amended and restarted equals bit for bit one that never was (LOCKSTEP_SEED=${seed})`, async () => {
  const base = temporaryDir()
  await makeDevHome(base)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: MOST_STEPS }), async (steps) => {
      const root = temporaryDir()
      copyDevHome(base, root)
      let home = await openDriven(root)
      let events: Event[] = []
      let snapshots: Snapshot[] = []
      const hashes: Uint8Array[] = []
      const counter = ADDRESSES.at(-1)
      const act = async (event: Event): Promise<void> => {
        await go(home, event)
        events.push(event)
      }
      for (const each of [{ kind: 'block' as const, sends: [[0, 3] as const] }, ...steps]) {
        if (each.kind === 'block') {
          for (const [from, what] of each.sends) {
            const targets = [STRANGERS[0], STRANGERS[1], counter, undefined]
            const to = targets[what]
            const raw = await sign(home, from, to === undefined ? { data: COUNTER_INIT } : { to })
            await home.pool.add(raw)
            hashes.push(parseData(keccak256(raw)))
          }
          const time = FUTURE + events.length
          await home.dev.mine({ blocks: 1, timestamp: time })
          const { chain } = home.stores.amended
          const taken = chain.block(chain.latest)?.transactions ?? []
          await home.dev.pool.dropAll()
          events.push({ kind: 'block', time, raws: taken })
        } else if (each.kind === 'amend') {
          await act({ kind: 'amend', diff: amended(home, each.who, each.value) })
        } else if (each.kind === 'snapshot') {
          snapshots.push({ id: await home.dev.snapshot(), events: events.length })
        } else if (each.kind === 'revert') {
          const snapshot = snapshots[each.which % snapshots.length]
          if (snapshot === undefined) continue
          expect(await home.dev.revert(snapshot.id)).toBe(true)
          events = events.slice(0, snapshot.events)
          snapshots = snapshots.filter(({ id }) => id < snapshot.id)
          expect(await home.dev.revert(snapshot.id)).toBe(false)
        } else if (each.kind === 'restart') {
          await home.close()
          home = await openDriven(root)
        } else if (each.kind === 'flush') {
          await home.stores.storage.settle()
        } else {
          readChain(home, ADDRESSES, SLOTS, hashes)
        }
      }
      const straightRoot = temporaryDir()
      copyDevHome(base, straightRoot)
      const straight = await openDriven(straightRoot)
      for (const event of events) await go(straight, event)
      const last: Event = { kind: 'block', time: FUTURE + 1_000_000, raws: [] }
      const read = (each: DrivenHome) => readChain(each, ADDRESSES, SLOTS, hashes)
      expect(read(home)).toEqual(read(straight))
      for (const each of [home, straight]) await go(each, last)
      expect(await home.chain.application.info().lastBlockAppHash).toEqual(
        await straight.chain.application.info().lastBlockAppHash,
      )
      expect(read(home)).toEqual(read(straight))
      await home.close()
      const again = await openDriven(root)
      expect(read(again)).toEqual(read(straight))
      await Promise.all([again.close(), straight.close()])
    }),
    { numRuns: RUNS, endOnFailure: true, seed },
  )
}, 120_000)
