import { expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { TransactionTimes } from '../../../../../host/chain/consensus/ahead/transaction-times.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import { encodeFrom, senderInR } from '../../../../support/engine/unsigned-sender.ts'

function call(fields: {
  readonly to?: Uint8Array
  readonly gas?: bigint
  readonly data?: Uint8Array
}): Transaction {
  const to = bigintToBytes(0xc0den, 20)
  const all = { gas: 71_000n, data: Uint8Array.of(1, 2, 3, 4, 5), to, ...fields }
  return decodeTransaction(encodeFrom(bigintToBytes(7n, 20), all), senderInR)
}

test('the expected time of a call is the lower of the last two times of its function', () => {
  const times = new TransactionTimes()
  const expected: number[] = []
  for (const took of [3, 2, 5, 4]) {
    expected.push(times.note(call({}), took))
    expect(times.expected(call({}))).toBe(expected.at(-1))
  }
  expect(expected).toEqual([0, 2, 2, 4])
  // The same function with another argument
  expect(times.expected(call({ data: Uint8Array.of(1, 2, 3, 4, 9) }))).toBe(4)
  expect(times.expected(call({ data: Uint8Array.of(1, 2, 3, 5) }))).toBe(0)
  expect(times.expected(call({ to: bigintToBytes(0xc0dfn, 20) }))).toBe(0)
})

test('a transaction with less than 50,000 gas for code is light, and its time is not recorded', () => {
  const times = new TransactionTimes()
  const light = call({ gas: 70_999n })
  for (let i = 0; i < 2; i++) times.note(light, 3)
  expect(times.expected(light)).toBe(0)
  expect(times.expected(call({}))).toBe(0)
})

test('the times of the latest 4096 functions are retained', () => {
  const times = new TransactionTimes()
  const one = (number: number) => call({ to: bigintToBytes(BigInt(number), 20) })
  for (let i = 0; i < 2; i++) {
    for (let number = 1; number <= 4096; number++) times.note(one(number), 1)
  }
  times.note(one(5000), 1)
  expect(times.expected(one(1))).toBe(0)
  expect(times.expected(one(2))).toBe(1)
})
