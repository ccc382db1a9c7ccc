import { expect, test } from 'vitest'
import { RestartPause } from '../../../host/process/restart-pause.ts'

test('a program that keeps ending waits twice as long each time, up to ten seconds, until it has lived', () => {
  const pause = new RestartPause()
  const pauses = Array.from({ length: 9 }, () => pause.after(0))
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  expect(pause.after(30_001)).toBe(100)
  expect(pause.after(30_000)).toBe(200)
})
