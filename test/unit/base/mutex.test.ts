import { expect, test } from 'vitest'
import { Mutex } from '../../../host/base/mutex.ts'

test('a task starts only after all earlier ones have ended, and its result is returned', async () => {
  const mutex = new Mutex()
  const steps: string[] = []
  const task = (name: string) => async () => {
    steps.push(`${name} starts`)
    await new Promise(setImmediate)
    steps.push(`${name} ends`)
    return name
  }
  const results = ['a', 'b', 'c'].map((name) => mutex.runExclusive(task(name)))
  expect(steps).toEqual([])
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
  expect(steps).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
})

test('a failed task rejects only its own call', async () => {
  const mutex = new Mutex()
  const failed = mutex.runExclusive(() => {
    throw new Error('no')
  })
  const later = mutex.runExclusive(() => 1)
  await expect(failed).rejects.toThrow('no')
  expect(await later).toBe(1)
})
