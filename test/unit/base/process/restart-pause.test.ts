import { expect, test } from 'vitest'
import { RestartPause } from '../../../../host/base/process/restart-pause.ts'

test('the pause before a restart doubles up to ten seconds until the program has run for a while', () => {
  const pause = new RestartPause()
  const pauses = Array.from({ length: 9 }, () => pause.after(0))
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  expect(pause.after(30_001)).toBe(100)
  expect(pause.after(30_000)).toBe(200)
})
