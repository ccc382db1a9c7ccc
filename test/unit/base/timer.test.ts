import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  delay,
  LONGEST_TIMER_MS,
  pause,
  startInterval,
  startTimer,
  stopTimer,
  timeoutSignal,
} from '../../../host/base/timer.ts'

const DAY = 24 * 60 * 60 * 1000

beforeEach(() => vi.useFakeTimers())

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Returns a callback that counts how often a timer fires. */
function counter(): { readonly run: () => void; readonly count: () => number } {
  let count = 0
  return { run: () => count++, count: () => count }
}

test.each([1, 1_000, LONGEST_TIMER_MS - 1, LONGEST_TIMER_MS, LONGEST_TIMER_MS + 1, 100 * DAY])(
  'a timer of %i ms fires once, after that time',
  (milliseconds) => {
    const { run, count } = counter()
    startTimer(run, milliseconds)
    vi.advanceTimersByTime(milliseconds - 1)
    expect(count()).toBe(0)
    vi.advanceTimersByTime(1)
    expect(count()).toBe(1)
    vi.advanceTimersByTime(200 * DAY)
    expect(count()).toBe(1)
  },
)

test.each([1_000, LONGEST_TIMER_MS + 1, 100 * DAY])(
  'an interval of %i ms fires once per period until it is stopped',
  (milliseconds) => {
    const { run, count } = counter()
    const timer = startInterval(run, milliseconds)
    vi.advanceTimersByTime(3 * milliseconds - 1)
    expect(count()).toBe(2)
    vi.advanceTimersByTime(1)
    expect(count()).toBe(3)
    stopTimer(timer)
    vi.advanceTimersByTime(3 * milliseconds)
    expect(count()).toBe(3)
  },
)

test.each([1_000, 100 * DAY])('a refreshed timer of %i ms starts from zero', (milliseconds) => {
  const { run, count } = counter()
  const timer = startTimer(run, milliseconds)
  vi.advanceTimersByTime(milliseconds - 1)
  timer.refresh()
  vi.advanceTimersByTime(milliseconds - 1)
  expect(count()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(count()).toBe(1)
  timer.refresh()
  vi.advanceTimersByTime(milliseconds)
  expect(count()).toBe(2)
})

test.each([1_000, 100 * DAY])(
  'a stopped timer of %i ms stays stopped when it is refreshed',
  (milliseconds) => {
    const { run, count } = counter()
    const timer = startTimer(run, milliseconds)
    vi.advanceTimersByTime(milliseconds / 2)
    stopTimer(timer)
    timer.refresh()
    vi.advanceTimersByTime(2 * milliseconds)
    expect(count()).toBe(0)
  },
)

test('an interval may stop itself from its callback', () => {
  let count = 0
  const timer = startInterval(() => {
    if (++count === 2) timer.stop()
  }, 10)
  vi.advanceTimersByTime(100)
  expect(count).toBe(2)
})

test('a timer of Infinity never fires, and a timer of NaN or below 0 fires at once', () => {
  const [never, none, below] = [counter(), counter(), counter()]
  const timer = startTimer(never.run, Number.POSITIVE_INFINITY)
  startTimer(none.run, Number.NaN)
  startTimer(below.run, -1)
  vi.advanceTimersByTime(1)
  expect([none.count(), below.count()]).toEqual([1, 1])
  vi.advanceTimersByTime(1_000 * DAY)
  expect(never.count()).toBe(0)
  timer.stop()
})

describe('a delay', () => {
  test('of 100 days resolves after 100 days', async () => {
    const { run, count } = counter()
    const over = delay(100 * DAY).then(run)
    // Not advanceTimersByTimeAsync: it lets other code of the process run in between, whose timers would be fake as
    // well. A timer that repeats within a second would take a minute to run through 100 days.
    vi.advanceTimersByTime(100 * DAY - 1)
    await Promise.resolve()
    expect(count()).toBe(0)
    vi.advanceTimersByTime(1)
    await over
    expect(count()).toBe(1)
  })

  test('rejects with the reason of its signal if the signal aborts before or during it', async () => {
    const controller = new AbortController()
    const under = delay(100 * DAY, { signal: controller.signal })
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(under).rejects.toBe(reason)
    await expect(delay(1, { signal: controller.signal })).rejects.toBe(reason)
  })
})

test('a pause ends after its time or at the abort, without an error', async () => {
  const controller = new AbortController()
  const whole = pause(1_000, controller.signal)
  vi.advanceTimersByTime(1_000)
  await whole
  const cut = pause(1_000, controller.signal)
  controller.abort()
  await cut
  await pause(1_000, controller.signal)
})

test('a timeout signal of 100 days aborts after 100 days with a TimeoutError', () => {
  const signal = timeoutSignal(100 * DAY)
  vi.advanceTimersByTime(100 * DAY - 1)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('a timeout signal of a fraction of a millisecond, of 0 or below 0 aborts', async () => {
  vi.useRealTimers()
  for (const milliseconds of [0.5, 0, -1, Number.NaN]) {
    const signal = timeoutSignal(milliseconds)
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  }
  vi.useFakeTimers()
})

test('a timer of 100 days keeps its process running unless it is unreferenced', () => {
  const timers = fileURLToPath(new URL('../../../host/base/timer.ts', import.meta.url))
  const run = (end: string) =>
    spawnSync(
      process.execPath,
      ['--input-type=module', '-e', `import { startTimer } from ${JSON.stringify(timers)}\n${end}`],
      { encoding: 'utf8', timeout: 60_000 },
    )
  expect(run(`startTimer(() => {}, ${100 * DAY}).unref()`)).toMatchObject({ status: 0, stderr: '' })
  const kept = `const timer = startTimer(() => {}, ${100 * DAY})
    setTimeout(() => { console.log('kept'); timer.stop() }, 20).unref()`
  expect(run(kept)).toMatchObject({ status: 0, stdout: 'kept\n' })
})
