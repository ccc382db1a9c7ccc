import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hexDigits } from '../../../../../host/base/hex.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { ManualClock, runUntil, ToyApplication, type ToyDisk, ToyHome } from '../toy-chain.ts'
import { verifyChain } from './verify-chain.ts'

/** The calls of one height in order. The node may die before or after the effect of each. */
const CALLS = [
  'prepareProposal',
  'processProposal',
  'propose',
  'signPrecommit',
  'decide',
  'finalizeBlock',
  'saveResults',
  'commit',
] as const

/** The app hash is computed concurrently with all calls. The next header needs it. */
const HASHING = 'hashing'

interface Death {
  readonly call: (typeof CALLS)[number] | typeof HASHING
  readonly when: 'before' | 'after'
  /** Number of heights completed in this run before the fatal one. */
  readonly survived: number
}

/** State that survives the process, and what other nodes have seen of it. */
interface World {
  readonly disk: ToyDisk
  readonly clock: ManualClock
  /** Hashes of the signed and of the executed blocks, by height. */
  readonly signed: Map<number, Set<string>>
  readonly executed: Map<number, Set<string>>
}

function note(seen: Map<number, Set<string>>, height: number, hash: Uint8Array): void {
  seen.set(height, (seen.get(height) ?? new Set()).add(hexDigits(hash)))
}

/** Returns a proxy of `target` whose calls go through `around`. */
function intercept<T extends object>(
  target: T,
  around: (call: string, perform: () => unknown) => unknown,
): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name, object)
      if (typeof value !== 'function') return value
      if (!(CALLS as readonly unknown[]).includes(name)) return value.bind(object)
      return (...args: unknown[]) => around(String(name), () => value.apply(object, args))
    },
  })
}

let home: ToyHome
let world: World

async function beginWorld(): Promise<void> {
  home = await ToyHome.create()
  world = {
    disk: { height: 0, appHash: new Uint8Array(0) },
    clock: new ManualClock(),
    signed: new Map(),
    executed: new Map(),
  }
}

beforeEach(beginWorld)
afterEach(() => home.remove())

/** Runs the node until it dies or reaches `height`. @returns whether it died */
async function live(height: number, death?: Death): Promise<boolean> {
  const { disk, clock } = world
  const fatal = disk.height + 1 + (death?.survived ?? 0)
  const around = (call: string, perform: () => unknown): unknown => {
    const dies = call === death?.call && disk.height + 1 === fatal
    const die = (): never => {
      throw new Error('died')
    }
    if (dies && death?.when === 'before') return die()
    const result = perform()
    if (!dies) return result
    return result instanceof Promise ? result.then(die) : die()
  }
  const toy = new ToyApplication(disk)
  toy.onPrepare = (at) => {
    // A restarted node has another pool, so it would propose another block.
    toy.pending = [Uint8Array.from([at, ...Buffer.from(String(clock.now))])]
  }
  toy.hashing = async (at) => {
    if (death?.call === HASHING && at === fatal) throw new Error('died')
  }
  clock.now += 7
  const store = home.openStore()
  const validator = await home.loadValidator()
  const sign = validator.signPrecommit.bind(validator)
  validator.signPrecommit = async (chainId, vote) => {
    const signed = await sign(chainId, vote)
    note(world.signed, vote.height, vote.blockId.hash)
    return signed
  }
  try {
    await runUntil(height, toy, {
      application: intercept(toy, around),
      validator: intercept(validator, around),
      blockStore: intercept(store, around),
      clock,
    })
    verifyChain(store, 1, store.height)
    expect(store.height).toBe(disk.height)
    return false
  } catch (error) {
    if (!(error as Error).message.endsWith('died')) throw error
    return true
  } finally {
    for (const request of toy.requests) note(world.executed, request.height, request.hash)
    await store.close()
  }
}

function expectOneBlockPerHeight(): void {
  for (const seen of [world.signed, world.executed]) {
    expect([...seen.keys()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: world.disk.height }, (_, i) => i + 1),
    )
    for (const hashes of seen.values()) expect(hashes.size).toBe(1)
  }
}

describe('a node that dies', () => {
  const places = CALLS.flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const])

  test.each(places)('in %s, %s its effect, continues the same chain', async (call, when) => {
    expect(await live(9, { call, when, survived: 2 })).toBe(true)
    const acknowledged = world.disk.height
    expect(await live(6)).toBe(false)
    expect(world.disk.height).toBeGreaterThan(acknowledged)
    expectOneBlockPerHeight()
  })

  test('between recording a block and its hash continues the same chain', async () => {
    expect(await live(9, { call: HASHING, when: 'before', survived: 2 })).toBe(true)
    expect(world.disk.height).toBe(3)
    expect(await live(6)).toBe(false)
    expectOneBlockPerHeight()
  })

  test('repeatedly at any point signs and executes one block per height', async () => {
    const death = fc.record({
      call: fc.constantFrom(...CALLS, HASHING),
      when: fc.constantFrom('before' as const, 'after' as const),
      survived: fc.nat(1),
    })
    await fc.assert(
      fc
        .asyncProperty(fc.array(death, { minLength: 2, maxLength: 6 }), async (deaths) => {
          for (const next of deaths) {
            const acknowledged = world.disk.height
            await live(acknowledged + 4, next)
            expect(world.disk.height).toBeGreaterThanOrEqual(acknowledged)
          }
          await live(world.disk.height + 2)
          expectOneBlockPerHeight()
        })
        .beforeEach(async () => {
          await home.remove()
          await beginWorld()
        }),
      { numRuns: bySet(15, 40) },
    )
  })
})
