import { expect, test } from 'vitest'
import { abortable, whenAborted } from '../../../host/base/signal.ts'

const never = new Promise<never>(() => {})

test('whenAborted resolves at the abort, or at once if it has happened', async () => {
  const controller = new AbortController()
  let isOver = false
  const over = whenAborted(controller.signal).then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  controller.abort()
  await over
  await whenAborted(controller.signal)
})

test('abortable settles as its promise does', async () => {
  const { signal } = new AbortController()
  expect(await abortable(Promise.resolve(1), signal)).toBe(1)
  await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
})

test('abortable rejects with the reason of an abort, also of an earlier one', async () => {
  const controller = new AbortController()
  const pending = abortable(never, controller.signal)
  controller.abort(new Error('left'))
  await expect(pending).rejects.toThrow('left')
  await expect(abortable(never, controller.signal)).rejects.toThrow('left')
})
