import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogFields, Logger } from '../../../../host/base/log/logger.ts'
import { SubmissionLog } from '../../../../host/node/serve/submission-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function logged() {
  const lines: [string, LogFields | undefined][] = []
  const info = (message: string, fields?: LogFields) => void lines.push([message, fields])
  return { lines, logger: { info } as Logger }
}

test('a transaction is logged with the link to its page', () => {
  const { lines, logger } = logged()
  const log = new SubmissionLog(logger, (hash) => `http://127.0.0.1:8545/explorer/tx/${hash}`)
  log.note(Uint8Array.of(0xab))
  expect(lines).toEqual([
    ['submitted transaction', { hash: '0xab', explorer: 'http://127.0.0.1:8545/explorer/tx/0xab' }],
  ])
})

test('without an explorer only the hash is logged', () => {
  const { lines, logger } = logged()
  new SubmissionLog(logger, () => undefined).note(Uint8Array.of(0xab))
  expect(lines).toEqual([['submitted transaction', { hash: '0xab' }]])
})

test('at most five transactions per second are logged, and the others are counted', () => {
  const { lines, logger } = logged()
  const log = new SubmissionLog(logger, () => undefined)
  for (let i = 0; i < 1000; i++) log.note(Uint8Array.of(i))
  expect(lines.length).toBe(5)
  vi.advanceTimersByTime(1000)
  expect(lines.slice(5)).toEqual([['submitted more transactions than are logged', { count: 995 }]])
  log.note(Uint8Array.of(0xcd))
  expect(lines.at(-1)).toEqual(['submitted transaction', { hash: '0xcd' }])
  vi.advanceTimersByTime(10_000)
  expect(lines.length).toBe(7)
})

test('the transactions of the last second are counted when the node stops', () => {
  const { lines, logger } = logged()
  const log = new SubmissionLog(logger, () => undefined)
  for (let i = 0; i < 7; i++) log.note(Uint8Array.of(i))
  log.close()
  expect(lines.at(-1)).toEqual(['submitted more transactions than are logged', { count: 2 }])
  vi.advanceTimersByTime(10_000)
  expect(lines.length).toBe(6)
})
