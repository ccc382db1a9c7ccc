import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BorrowedChunk, TraceRun } from '../../../../host/api/trace-pool/trace-run.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import type { JsonChunks } from '../../../../host/base/json-chunks.ts'

const TIMEOUT_MS = 1000
const WAIT_MS = 400

let run: TraceRun
let leaving: AbortController
/** Returned chunks, by number. */
let back: number[]
let stops: string[]
let ends: string[]

beforeEach(() => {
  vi.useFakeTimers()
  leaving = new AbortController()
  back = []
  stops = []
  ends = []
  run = new TraceRun(
    {
      job: {} as never,
      view: {} as never,
      client: {},
      waitMs: WAIT_MS,
      timeoutMs: TIMEOUT_MS,
      expired: (phase) => new LockstepError('LIMIT_EXCEEDED', `over in ${phase}`),
      signal: leaving.signal,
    },
    {
      onStop: ({ message }) => stops.push(message),
      onFailure: () => {},
      onEnd: (end) => ends.push(end),
    },
  )
  // The caller handles a failed start in `started`; here it is ignored.
  run.started.catch(() => {})
  run.begin()
})

afterEach(() => {
  vi.useRealTimers()
})

const chunk = (number: number): BorrowedChunk => ({
  borrowed: Uint8Array.of(number),
  release: () => back.push(number),
})

function deliver(...numbers: number[]): void {
  for (const number of numbers) run.deliver(chunk(number))
}

/** Returns the number of the next piece, or undefined at the end. */
async function nextOf(chunks: JsonChunks): Promise<number | undefined> {
  const step = await chunks.next()
  return step.done === true ? undefined : step.value.borrowed[0]
}

describe('a chunk is returned once', () => {
  test('when the next is requested, and not before', async () => {
    deliver(1, 2)
    expect([await nextOf(run), back]).toEqual([1, []])
    expect([await nextOf(run), back]).toEqual([2, [1]])
    run.complete(Uint8Array.of(3))
    expect([await nextOf(run), back]).toEqual([3, [1, 2]])
    expect([await nextOf(run), back]).toEqual([undefined, [1, 2]])
    expect(ends).toEqual(['done'])
  })

  test('when its reader disconnects, together with unread ones', async () => {
    deliver(1, 2, 3)
    await run.next()
    await run.return()
    expect(back.toSorted()).toEqual([1, 2, 3])
    deliver(4)
    expect(back).toContain(4)
    run.end(new Error('gone'))
    await run.return()
    expect(back.toSorted()).toEqual([1, 2, 3, 4])
    expect([stops, ends]).toEqual([['the caller has disconnected'], ['cancelled']])
  })

  test('when its reader releases it, although its caller has disconnected', async () => {
    deliver(1, 2)
    await run.next()
    leaving.abort()
    expect(back).toEqual([2])
    await run.return()
    expect(back).toEqual([2, 1])
  })

  test('when the rest is dropped and its reader requests more', async () => {
    deliver(1, 2)
    await run.next()
    vi.advanceTimersByTime(TIMEOUT_MS)
    expect(stops).toEqual(['over in write'])
    run.drop()
    expect(back).toEqual([2])
    await expect(run.next()).rejects.toThrow('over in write')
    expect(back).toEqual([2, 1])
  })
})

describe('a result without streaming', () => {
  test('is whole, and its trace is finished', async () => {
    const result = Uint8Array.of(1, 2, 3)
    run.complete(result)
    expect(await run.started).toBe(result)
    expect(ends).toEqual(['done'])
    vi.advanceTimersByTime(2 * TIMEOUT_MS)
    leaving.abort()
    expect([stops, ends]).toEqual([[], ['done']])
  })

  test('is not given to a caller that disconnected', async () => {
    leaving.abort()
    run.complete(Uint8Array.of(1))
    await expect(run.started).rejects.toThrow('the caller has disconnected')
    expect(ends).toEqual(['cancelled'])
  })

  test('is not given after its time limit', async () => {
    run.phase = 'run'
    vi.advanceTimersByTime(TIMEOUT_MS)
    run.complete(Uint8Array.of(1))
    await expect(run.started).rejects.toThrow('over in run')
    expect(ends).toEqual(['expired'])
  })
})
