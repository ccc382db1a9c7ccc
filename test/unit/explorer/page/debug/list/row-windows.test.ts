import { describe, expect, it } from 'vitest'
import { RowWindows } from '../../../../../../host/explorer/page/debug/list/row-windows.ts'
import { LatestQuery } from '../../../../../../host/explorer/page/state/debug/latest-query.ts'
import { makeRun } from '../../state/debug/made-run.ts'

describe('the rows of a long list', () => {
  const { rows } = makeRun(Array.from({ length: 20_000 }, () => 'POP'))

  function windows() {
    const asked: number[] = []
    let arrivals = 0
    const open: (() => void)[] = []
    const kept = new RowWindows(
      async (from, count) => {
        asked.push(from)
        await new Promise<void>((resolve) => open.push(resolve))
        return rows.slice(from, from + count)
      },
      () => arrivals++,
      (error) => {
        throw error
      },
    )
    /** Answers all requests, including those that the answers cause. */
    async function answer(): Promise<void> {
      for (let answered = open.shift(); answered !== undefined; answered = open.shift()) {
        answered()
        for (let i = 0; i < 5; i++) await Promise.resolve()
      }
    }
    return { kept, asked, answer, arrivals: () => arrivals }
  }

  it('are fetched in windows, each once', async () => {
    const { kept, asked, answer, arrivals } = windows()
    kept.want(100, 130)
    expect(kept.get(100)).toBeUndefined()
    await answer()
    expect(asked).toEqual([0, 128])
    expect(arrivals()).toBe(2)
    expect([kept.get(100), kept.get(129)]).toEqual([rows[100], rows[129]])
    kept.want(0, 256)
    await answer()
    expect(asked).toEqual([0, 128])
  })

  it('are not fetched if they scroll out of view before', async () => {
    const { kept, asked, answer } = windows()
    for (let first = 0; first < 19_000; first += 500) kept.want(first, first + 30)
    await answer()
    expect(asked).toEqual([0, 18_432])
    expect(kept.get(18_500)).toEqual(rows[18_500])
  })

  it('are cached by most recent use', async () => {
    const { kept, answer } = windows()
    for (let window = 0; window < 70; window++) {
      kept.want(window * 128, window * 128 + 1)
      await answer()
      kept.want(0, 1)
    }
    expect(kept.get(0)).toEqual(rows[0])
    expect(kept.get(128)).toBeUndefined()
    expect(kept.get(69 * 128)).toEqual(rows[69 * 128])
  })

  it('end with the transaction', async () => {
    const { kept, answer } = windows()
    kept.want(19_990, 20_000)
    await answer()
    expect(kept.get(19_999)).toEqual(rows[19_999])
    expect(kept.get(20_000)).toBeUndefined()
  })
})

describe('the queue of questions', () => {
  it('continues with only the latest after the current one', async () => {
    const asked: number[] = []
    const answered: number[] = []
    const failed: unknown[] = []
    const newest = new LatestQuery<number, number>(
      async (question) => {
        asked.push(question)
        if (question === 1) throw new Error('one')
        return question * 10
      },
      (answer) => answered.push(answer),
      (error) => failed.push((error as Error).message),
    )
    for (let i = 1; i <= 100; i++) newest.want(i)
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toEqual([1, 100])
    expect(answered).toEqual([1000])
    expect(failed).toEqual(['one'])
    newest.want(7)
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toEqual([1, 100, 7])
  })
})
