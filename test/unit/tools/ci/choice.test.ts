import { describe, expect, test } from 'vitest'
import { choose, estimateSeconds, takeBatch } from '../../../../tools/ci/choice.ts'
import { makeRandom } from '../../../support/random.ts'

/** Ten files of ten seconds each, of which one runs at a time. */
const SLOW = Array.from({ length: 10 }, (_, index) => `test/${index}.slow.test.ts`)
const TABLE = new Map(SLOW.map((path) => [path, 10]))
const named = (...numbers: readonly number[]) =>
  numbers.map((index) => `test/${index}.slow.test.ts`)

function chooseFor(affected: readonly string[] | undefined, budget: number, seed = 1) {
  const random = makeRandom(seed)
  return choose({
    slow: SLOW,
    always: named(0),
    affected,
    table: TABLE,
    workers: 1,
    budget,
    random,
  })
}

describe('choose', () => {
  test('affected files that fit into the budget come first, in their order, and the rest is drawn at random', () => {
    const { always, queue } = chooseFor(named(7, 3), 100)
    expect(always).toEqual(named(0))
    expect(queue.slice(0, 2)).toEqual([
      { path: 'test/7.slow.test.ts', reason: 'affected' },
      { path: 'test/3.slow.test.ts', reason: 'affected' },
    ])
    expect(new Set(queue.slice(2).map(({ reason }) => reason))).toEqual(new Set(['drawn']))
    const rest = queue.slice(2).map(({ path }) => path)
    expect(rest.toSorted()).toEqual(named(1, 2, 4, 5, 6, 8, 9))
  })

  test('the same seed draws the same order, and another seed a different one', () => {
    expect(chooseFor([], 100, 5)).toEqual(chooseFor([], 100, 5))
    expect(chooseFor([], 100, 5).queue).not.toEqual(chooseFor([], 100, 6).queue)
  })

  test('if more affected files exist than fit, the most related take two thirds, and the others are drawn before the rest', () => {
    const { queue } = chooseFor(named(8, 6, 4, 2, 1), 30)
    expect(queue.slice(0, 2).map(({ path }) => path)).toEqual(named(8, 6))
    const drawn = queue.slice(2, 5)
    expect(drawn.map(({ path }) => path).toSorted()).toEqual(named(1, 2, 4))
    expect(queue.slice(0, 5).every(({ reason }) => reason === 'affected')).toBe(true)
    expect(
      queue
        .slice(5)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(named(3, 5, 7, 9))
  })

  test('if the changes are unknown, all files count as affected and are drawn', () => {
    const { queue } = chooseFor(undefined, 100)
    expect(queue).toHaveLength(9)
    expect(new Set(queue.map(({ reason }) => reason))).toEqual(new Set(['affected']))
  })

  test('a file that always runs is not in the queue as well', () => {
    expect(chooseFor(named(0, 5), 100).queue[0]).toEqual({
      path: 'test/5.slow.test.ts',
      reason: 'affected',
    })
  })
})

describe('estimateSeconds', () => {
  test('concurrent files take their total divided by the workers, but at least as long as the longest', () => {
    expect(estimateSeconds(named(1, 2, 3), TABLE, 3)).toBe(10)
    expect(estimateSeconds(named(1, 2, 3, 4, 5, 6), TABLE, 3)).toBe(20)
    expect(estimateSeconds([], TABLE, 3)).toBe(0)
  })

  test('a file without a row in the table counts as half a minute', () => {
    expect(estimateSeconds(['test/new.slow.test.ts'], TABLE, 1)).toBe(30)
  })
})

describe('takeBatch', () => {
  const queue = named(1, 2, 3, 4).map((path) => ({ path, reason: 'drawn' }) as const)
  const limits = { table: TABLE, workers: 1, batchSeconds: 20 }

  test('a batch ends when its seconds are used up, and the remaining files keep their order', () => {
    const { batch, rest } = takeBatch(queue, { ...limits, left: 100 })
    expect(batch).toEqual(queue.slice(0, 2))
    expect(rest).toEqual(queue.slice(2))
  })

  test('a file longer than a batch runs alone', () => {
    const table = new Map([...TABLE, ['test/1.slow.test.ts', 60] as const])
    expect(takeBatch(queue, { ...limits, table, left: 100 }).batch).toEqual(queue.slice(0, 1))
  })

  test('a file that is too long for the remaining time is skipped for a shorter one', () => {
    const table = new Map([...TABLE, ['test/1.slow.test.ts', 60] as const])
    expect(takeBatch(queue, { ...limits, table, left: 15 }).batch).toEqual(queue.slice(1, 2))
  })

  test('no file starts after the budget is used up', () => {
    expect(takeBatch(queue, { ...limits, left: 5 })).toEqual({ batch: [], rest: queue })
    expect(takeBatch(queue, { ...limits, left: -5 })).toEqual({ batch: [], rest: queue })
  })
})
