import { describe, expect, test } from 'vitest'
import { ChainClock, SECOND } from '../../../../host/chain/dev/chain-clock.ts'

const MILLISECOND = 1_000_000n

/** Opens a clock over a machine time and a chain time that the test sets. */
function open(wall = 1_000, last = 1_000, offset = 0n, isStrict = false) {
  const at = { wall: BigInt(wall) * SECOND, last: BigInt(last) * SECOND }
  const saved: bigint[] = []
  const clock = new ChainClock({
    wallTime: () => at.wall,
    lastTime: () => at.last,
    offset,
    isStrict,
    onChange: () => saved.push(clock.offsetNs),
  })
  /** Produces a block. @returns its time in seconds */
  const make = (isByHand = true): number => {
    const time = clock.nextTime(isByHand)
    expect(time).toBeGreaterThan(at.last)
    at.last = time
    clock.noteBlock(time)
    return Number(time) / 1e9
  }
  return { at, clock, make, saved }
}

const strict = (wall = 1_000) => open(wall, 1_000, 0n, true)

describe('manually mined blocks', () => {
  test('share the second of the wall clock, a millisecond apart', () => {
    const { at, make } = open(1_005)
    expect([make(), make(), make()]).toEqual([1_005, 1_005.001, 1_005.002])
    at.wall += 600n * MILLISECOND
    expect(make()).toBe(1_005.003)
    at.wall += 600n * MILLISECOND
    expect(make()).toBe(1_006)
  })

  test('may have the time of the latest block, which advances no clock', () => {
    const { clock, make } = open()
    clock.setNext(1_000)
    expect([make(), make()]).toEqual([1_000.001, 1_000.002])
    clock.increase(0)
    expect(Math.floor(make())).toBe(1_000)
    clock.setBlockInterval(0)
    expect(Math.floor(make())).toBe(1_000)
    expect(() => clock.setNext(999)).toThrow(
      "Timestamp error: 999 is lower than previous block's timestamp 1000",
    )
  })

  test('run ahead of the clock only by a millisecond each', () => {
    const { make } = open(1_005)
    const times = Array.from({ length: 200 }, () => Math.floor(make()))
    expect(new Set(times)).toEqual(new Set([1_005]))
  })

  test('share a second that began long ago, up to 999 of them', () => {
    const { at, clock, make } = open(1_005)
    make()
    at.wall += 990n * MILLISECOND
    clock.setBlockInterval(0)
    const times = Array.from({ length: 999 }, () => Math.floor(make()))
    expect(new Set(times)).toEqual(new Set([1_005]))
    expect(make()).toBe(1_006)
  })
})

describe('the timestamp of a manually mined block, with strict time,', () => {
  test('is the wall clock, or one second after the previous block in the same second', () => {
    const { at, make } = strict(1_005)
    expect([make(), make(), make()]).toEqual([1_005, 1_006, 1_007])
    at.wall = 2_000n * SECOND
    expect(make()).toBe(2_000)
  })

  test('is a whole number of seconds', () => {
    const { at, make } = strict()
    at.wall += 1_700n * MILLISECOND
    expect(make()).toBe(1_001)
  })

  test('moves forward permanently with increase, and the offsets add up', () => {
    const { at, clock, make } = strict(1_005)
    expect(clock.increase(100)).toBe(100)
    expect(clock.increase(50)).toBe(150)
    expect([make(), make()]).toEqual([1_155, 1_156])
    at.wall += 10n * SECOND
    expect(make()).toBe(1_165)
  })

  test('is the one set for the next block, and the clock continues from it', () => {
    const { at, clock, make } = open()
    clock.setNext(5_000)
    expect(make()).toBe(5_000)
    expect(clock.offset).toBe(4_000)
    at.wall += 3n * SECOND
    expect(make()).toBe(5_003)
  })

  test.each([999, 1_000])('cannot be set to %i if the latest block is at 1000', (timestamp) => {
    const { clock, make } = strict()
    expect(() => clock.setNext(timestamp)).toThrow(
      `Timestamp error: ${timestamp} is lower than or equal to previous block's timestamp 1000`,
    )
    expect(make()).toBe(1_001)
  })

  test('moves back with set, as far as the blocks allow', () => {
    const { at, clock, make } = strict()
    clock.setNext(5_000)
    make()
    expect(clock.set(2_000)).toBe(1_000)
    expect([make(), make()]).toEqual([5_001, 5_002])
    at.wall += 9_000n * SECOND
    expect(make()).toBe(11_000)
  })

  test('follows the configured interval, whatever the clock says, until it is removed', () => {
    const { at, clock, make } = open()
    clock.setBlockInterval(7)
    expect([make(), make()]).toEqual([1_007, 1_014])
    clock.setNext(1_020)
    expect([make(), make()]).toEqual([1_020, 1_027])
    expect(clock.removeBlockInterval()).toBe(true)
    expect(clock.removeBlockInterval()).toBe(false)
    at.wall += 1_000n * SECOND
    expect(make()).toBe(2_020)
  })

  test('is restored with a snapshot', () => {
    const { at, clock, make } = open()
    clock.increase(500)
    clock.setNext(3_000)
    const { state } = clock
    const { last } = at
    make()
    clock.increase(10_000)
    at.wall += 60n * SECOND
    at.last = last
    clock.restore(state)
    expect(clock.now).toBe(1_500)
    expect(make()).toBe(3_000)
  })
})

test('timestamps may differ by a millisecond between scheduled blocks, and before a manual one', () => {
  const { at, make } = open()
  at.wall += 400n * MILLISECOND
  expect([make(false), make(false)]).toEqual([1_000.4, 1_000.401])
  expect(make(true)).toBe(1_000.402)
})

test('the clock reports each change of its offset and starts a new run with it', () => {
  const first = open()
  first.clock.increase(42)
  expect(first.saved).toEqual([42n * SECOND])
  const { make } = open(1_005, 1_000, first.saved[0])
  expect(make()).toBe(1_047)
})
