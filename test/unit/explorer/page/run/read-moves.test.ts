import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import type { LogNode } from '../../../../../host/explorer/browser/step/stepper.ts'
import { makeContractRegistry } from '../../../../../host/explorer/page/decode/abi/contract-registry.ts'
import { SelectorTable } from '../../../../../host/explorer/page/decode/signatures/selector-table.ts'
import { phraseText } from '../../../../../host/explorer/page/decode/words/phrase.ts'
import { logsOf } from '../../../../../host/explorer/page/run/logs/logs-of.ts'
import { readMoves } from '../../../../../host/explorer/page/run/summary/read-moves.ts'
import { at, callNodes } from '../decode/call-nodes.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const padded = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
const transfer = (amount: number, step: number, isReverted = false): LogNode => {
  const data: Hex = `0x${amount.toString(16).padStart(64, '0')}`
  return {
    address: at(9),
    topics: [TRANSFER, padded(at(1)), padded(at(2))],
    data,
    step,
    isReverted,
  }
}
const lens = makeContractRegistry({ books: [new SelectorTable()] })
const never = new AbortController().signal

test('token transfers are listed in the order of their logs, without reverted ones', async () => {
  const calls = callNodes({
    logs: [transfer(3, 30)],
    below: [{ logs: [transfer(1, 10), transfer(2, 20, true)] }],
  })
  const { phrases, looked, logs } = await readMoves(logsOf(calls), lens, never)
  expect(phrases.map((phrase) => phraseText(phrase).split(' ')[0])).toEqual(['1', '3'])
  expect([looked, logs]).toEqual([3, 3])
})

test('only as many transfer logs are read as are shown', async () => {
  const many = Array.from({ length: 300 }, (_, step) => transfer(1, step))
  const moves = await readMoves(logsOf(callNodes({ logs: many })), lens, never)
  expect(moves.phrases).toHaveLength(100)
  expect([moves.looked, moves.logs]).toEqual([100, 300])
})

test('reading token transfers stops when the viewer leaves', async () => {
  const moves = await readMoves(
    logsOf(callNodes({ logs: [transfer(1, 1)] })),
    lens,
    AbortSignal.abort(),
  )
  expect(moves).toEqual({ phrases: [], looked: 0, logs: 1 })
})
