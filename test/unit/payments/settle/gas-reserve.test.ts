import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { type GasNotice, GasReserve } from '../../../../host/payments/settle/gas-reserve.ts'

const ADDRESS: Hex = `0x${'5e'.repeat(20)}`

function reserve(warnBelow = 100) {
  const notices: GasNotice[] = []
  const gas = new GasReserve({
    address: ADDRESS,
    gas: 10n,
    warnBelow,
    onLow: (notice) => notices.push(notice),
  })
  /** Checks with a balance for this many settlements, and returns what was said. */
  const check = (settlements: number, price = 7n) => {
    gas.check(BigInt(settlements) * 10n * price, price)
    return notices.splice(0).map(({ left }) => left)
  }
  return { gas, notices, check }
}

test('a warning comes below the limit, and again each time that half is left', () => {
  const { gas, check } = reserve()
  expect(gas.left).toBeUndefined()
  const said = [101, 100, 99, 98, 50, 49, 48, 25, 24, 3, 2, 1, 1, 0, 0].map((left) => check(left))
  expect(said).toEqual([[], [], [99], [], [], [49], [], [], [24], [3], [], [1], [], [0], []])
  expect(gas.left).toBe(0)
})

test('after the account was funded the next warning comes below the limit again', () => {
  const { check } = reserve()
  expect([check(10), check(100), check(99)]).toEqual([[10], [], [99]])
})

test('a higher gas price leaves fewer settlements', () => {
  const { gas, notices } = reserve()
  gas.check(10_000n, 1n)
  expect([gas.left, notices]).toEqual([1_000, []])
  gas.check(10_000n, 20n)
  expect(notices).toEqual([{ address: ADDRESS, balance: 10_000n, left: 50 }])
})

test('without a limit there is no warning', () => {
  const { check } = reserve(0)
  expect([check(1), check(0)]).toEqual([[], []])
})

test('a chain whose gas is free counts as the lowest price', () => {
  const { gas } = reserve()
  gas.check(1_000n, 0n)
  expect(gas.left).toBe(100)
})
