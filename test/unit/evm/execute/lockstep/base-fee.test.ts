import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FeeMarket } from '../../../../../host/evm/chain-types/genesis.ts'
import {
  baseFeeAfter,
  decodeBaseFee,
  encodeBaseFee,
  initialBaseFee,
  nextBaseFee,
  wholeWei,
} from '../../../../../host/evm/execute/lockstep/base-fee.ts'

const GWEI = 10n ** 9n
const ONE = 10n ** 18n
const LIMIT = 10_000_000n

/** The reference chain's defaults: +1.89 % and -0.39 % per block around 250,000 gas. */
const market: FeeMarket = {
  initialBaseFee: GWEI,
  minBaseFee: GWEI,
  maxBaseFee: 1000n * GWEI,
  targetGas: 250_000n,
  maxUpward: 18_900_000_000_000_000n,
  maxDownward: 3_900_000_000_000_000n,
}

describe('the base fee of the next block', () => {
  test.each([
    ['at the target it stays', 100n * GWEI, 250_000n, 100n * GWEI * ONE],
    ['a full block raises it by 1.89 %', 100n * GWEI, LIMIT, 101_890_000_000n * ONE],
    ['gas beyond the limit counts as the limit', 100n * GWEI, 2n * LIMIT, 101_890_000_000n * ONE],
    ['an empty block lowers it by 0.39 %', 100n * GWEI, 0n, 99_610_000_000n * ONE],
    ['half the target lowers it by half of that', 100n * GWEI, 125_000n, 99_805_000_000n * ONE],
    [
      'halfway to the limit raises it by half of 1.89 %',
      100n * GWEI,
      5_125_000n,
      100_945_000_000n * ONE,
    ],
    ['it does not fall below the minimum', GWEI, 0n, GWEI * ONE],
    ['it does not rise above the maximum', 1000n * GWEI, LIMIT, 1000n * GWEI * ONE],
    ['a fee below the minimum is lifted to it', GWEI / 2n, 250_000n, GWEI * ONE],
  ])('follows the rule that %s', (_, previous, used, expected) => {
    expect(nextBaseFee(previous * ONE, used, LIMIT, market)).toBe(expected)
  })

  test('keeps the fraction of a wei and rounds half to even', () => {
    // One gas above the target: 0.0189 / 9,750,000 = 1.938461538...e-9, to 18 digits.
    expect(nextBaseFee(100n * GWEI * ONE, 250_001n, LIMIT, market)).toBe(
      100_000_000_193_846_153_800_000_000_000n,
    )
  })

  test('stays unchanged if the target is 0', () => {
    const flat = { ...market, targetGas: 0n }
    expect(nextBaseFee(7n * ONE, LIMIT, LIMIT, flat)).toBe(7n * ONE)
  })

  test('rises above the target, falls below it, and never leaves its bounds', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: GWEI * ONE, max: 1000n * GWEI * ONE }),
        fc.bigInt({ min: 0n, max: LIMIT }),
        (previous, used) => {
          const next = nextBaseFee(previous, used, LIMIT, market)
          expect(next).toBeGreaterThanOrEqual(GWEI * ONE)
          expect(next).toBeLessThanOrEqual(1000n * GWEI * ONE)
          if (used > market.targetGas) expect(next).toBeGreaterThanOrEqual(previous)
          else expect(next).toBeLessThanOrEqual(previous)
        },
      ),
    )
  })
})

describe('the stored base fee', () => {
  test('has 18 decimals, and a block charges whole wei', () => {
    const fee = 1_500_000_000n * ONE + 999n
    const row = encodeBaseFee(fee)
    expect(row).toHaveLength(32)
    expect(decodeBaseFee(row, market)).toBe(fee)
    expect(wholeWei(fee)).toBe(1_500_000_000n)
  })

  test('defaults to that of the first block if it is missing', () => {
    expect(decodeBaseFee(undefined, market)).toBe(initialBaseFee(market))
    expect(baseFeeAfter({ legacy: () => undefined }, 5, market)).toBe(GWEI)
  })
})
