import { expect, test } from 'vitest'
import { bigintToBytes, bytesKey } from '../../../../host/base/bytes.ts'
import type { Need, Run } from '../../../../host/evm/engine/need.ts'
import { answerFromAsync, answerSoon } from '../../../../host/evm/state/answer.ts'
import { MissingState, retryWhenFetched } from '../../../../host/evm/state/missing-state.ts'
import { runInRounds } from '../../../../host/evm/state/run-in-rounds.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'

const word = (n: number) => bigintToBytes(BigInt(n), 32)
const A = bigintToBytes(1n, 20)

/**
 * Returns a state whose slots must be fetched; slot n holds n + 1. `fetches` lists the slots of each fetch, which
 * batches the reads of one microtask.
 */
function farState(fails = false) {
  const here = new Map<string, Uint8Array>()
  const fetches: number[][] = []
  let next: { readonly slots: number[]; readonly done: Promise<void> } | undefined
  const fetch = (slot: Uint8Array): Promise<void> => {
    if (next === undefined) {
      const slots: number[] = []
      const done = Promise.resolve().then(() => {
        next = undefined
        fetches.push(slots)
        if (fails) throw new Error('the node is gone')
        for (const one of slots) here.set(bytesKey(word(one)), word(one + 1))
      })
      next = { slots, done }
    }
    next.slots.push(slot[31] as number)
    return next.done
  }
  const view: StateView = {
    account: () => undefined,
    storage: (_, slot) => {
      const known = here.get(bytesKey(slot))
      if (known !== undefined) return known
      throw new MissingState('a slot', () => fetch(slot))
    },
    code: () => new Uint8Array(0),
    blockHash: () => undefined,
  }
  return { view, fetches }
}

/** Returns the same state with slots that cannot be read. */
const brokenView = (view: StateView): StateView => ({
  ...view,
  storage: () => {
    throw new RangeError('no disk')
  },
})

const read = (view: StateView, slot: number) => view.storage(A, word(slot))?.[31]

function* reading(slots: readonly number[]): Run<number[]> {
  const values: number[] = []
  for (const slot of slots) {
    const need: Need = { kind: 'storage', address: A, slot: word(slot) }
    values.push(((yield need) as Uint8Array)[31] as number)
  }
  return values
}

test('a run waits for a missing value and continues with the same read', async () => {
  const { view, fetches } = farState()
  expect(await answerFromAsync(reading([4, 4, 9]), view)).toEqual([5, 5, 10])
  expect(fetches).toEqual([[4], [9]])
})

test('a run without missing values ends synchronously, and one with missing values asynchronously', async () => {
  const { view } = farState()
  const later = answerSoon(reading([4]), view)
  expect(later).toBeInstanceOf(Promise)
  expect(await later).toEqual([5])
  expect(answerSoon(reading([4, 4]), view)).toEqual([5, 5])
  expect(runInRounds(view, (known) => read(known, 4))).toBe(5)
  expect(() => answerSoon(reading([1]), brokenView(view))).toThrow('no disk')
  await expect(answerFromAsync(reading([1]), brokenView(view))).rejects.toThrow('no disk')
})

test('a run that fails is abandoned and does not continue', async () => {
  const { view } = farState(true)
  const ended: string[] = []
  function* noting(name: string): Run<number[]> {
    try {
      return yield* reading([1])
    } finally {
      ended.push(name)
    }
  }
  expect(() => answerSoon(noting('at once'), brokenView(view))).toThrow('no disk')
  expect(ended).toEqual(['at once'])
  await expect(answerSoon(noting('later'), view)).rejects.toThrow('the node is gone')
  expect(ended).toEqual(['at once', 'later'])
})

test('a run ends with the error of a value that cannot be fetched', async () => {
  const { view } = farState(true)
  await expect(answerFromAsync(reading([4]), view)).rejects.toThrow('the node is gone')
})

test('work without missing values is done synchronously, and is repeated after each missing value', async () => {
  expect(retryWhenFetched(() => 3)).toBe(3)
  const { view, fetches } = farState()
  let tries = 0
  const sum = retryWhenFetched(() => {
    tries++
    return (read(view, 1) ?? 0) + (read(view, 2) ?? 0)
  })
  expect(await sum).toBe(5)
  expect(tries).toBe(3)
  expect(fetches).toEqual([[1], [2]])
  const late = retryWhenFetched(async () => {
    await Promise.resolve()
    return read(view, 7)
  })
  expect(await late).toBe(8)
  expect(() =>
    retryWhenFetched(() => {
      throw new RangeError('no part')
    }),
  ).toThrow('no part')
})

test('speculative rounds fetch the reads of a run in batches and give the result of the true run', async () => {
  const { view, fetches } = farState()
  const chained = async (known: StateView) => {
    const first = [1, 2, 3].map((slot) => read(known, slot) ?? 0)
    const pointer = first.reduce((sum, value) => sum + value, 0)
    if (pointer === 0) throw new RangeError('a guess led astray')
    return read(known, pointer)
  }
  expect(await runInRounds(view, chained)).toBe(10)
  expect(fetches).toEqual([[1, 2, 3], [9]])
})

test('a run that assumed no missing value fails with its own error', async () => {
  const { view } = farState()
  const fails = async (): Promise<never> => {
    throw new RangeError('always')
  }
  await expect(runInRounds(view, fails)).rejects.toThrow('always')
})
