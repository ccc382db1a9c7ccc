import { bigintToBytes, bytesToBigint } from '../../../base/bytes.ts'
import { requireBits } from '../../../base/writable.ts'
import type { ChainParams, FeeMarket } from '../../chain-types/genesis.ts'

/** Key of the `legacy` row with the base fee of the next block. */
export const BASE_FEE_KEY: Uint8Array = Uint8Array.of(0x1b)

/**
 * A base fee between blocks: wei per gas, in units of 10^-18. The fraction carries over, so that small steps add up;
 * a block charges whole wei.
 */
export type FixedBaseFee = bigint

const ONE = 10n ** 18n

/** Returns `value / divisor`, rounded half to even like Cosmos SDK decimals. */
function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  const twice = (value % divisor) * 2n
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient
  return quotient + 1n
}

const multiply = (a: bigint, b: bigint) => divideHalfEven(a * b, ONE)

/** Cosmos SDK decimals compute 36 digits and round to 18. */
const divide = (a: bigint, b: bigint) => divideHalfEven((a * ONE * ONE) / b, ONE)

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low
  return value > high ? high : value
}

/**
 * Returns the base fee after a block that used `gasUsed` of `gasLimit`. Above the target it rises by `maxUpward *
 * (used - target) / (limit - target)`. Below it falls by `maxDownward * (target - used) / target`. It stays within
 * the market's bounds. A target of 0 keeps it.
 */
export function nextBaseFee(
  previous: FixedBaseFee,
  gasUsed: bigint,
  gasLimit: bigint,
  market: FeeMarket,
): FixedBaseFee {
  const { targetGas } = market
  if (targetGas === 0n) return previous
  const used = gasUsed > gasLimit ? gasLimit : gasUsed
  let factor = ONE
  if (used > targetGas) {
    factor += multiply(market.maxUpward, divide(used - targetGas, gasLimit - targetGas))
  } else {
    factor -= multiply(market.maxDownward, divide(targetGas - used, targetGas))
  }
  return clamp(multiply(previous, factor), market.minBaseFee * ONE, market.maxBaseFee * ONE)
}

/**
 * Returns the fee market of a block with its own gas limit, as a development chain may set it: the target remains the
 * same share of the limit.
 */
export function marketAt(
  gasLimit: bigint,
  { maxGas, feeMarket }: Pick<ChainParams, 'maxGas' | 'feeMarket'>,
): FeeMarket {
  if (gasLimit === maxGas) return feeMarket
  return { ...feeMarket, targetGas: (feeMarket.targetGas * gasLimit) / maxGas }
}

/** Returns the base fee of the first block. */
export function initialBaseFee(market: FeeMarket): FixedBaseFee {
  return market.initialBaseFee * ONE
}

/** Converts a base fee in whole wei per gas. */
export function fixedFee(wei: bigint): FixedBaseFee {
  return wei * ONE
}

/** Returns the whole wei per gas that a block charges. */
export function wholeWei(baseFee: FixedBaseFee): bigint {
  return baseFee / ONE
}

/** Encodes the row of `BASE_FEE_KEY`: 32 bytes, big-endian. */
export function encodeBaseFee(baseFee: FixedBaseFee): Uint8Array {
  requireBits(baseFee, 256, 'a base fee')
  return bigintToBytes(baseFee, 32)
}

/** Decodes the base fee in a row; that of the first block if there is no row yet. */
export function decodeBaseFee(row: Uint8Array | undefined, market: FeeMarket): FixedBaseFee {
  return row === undefined ? initialBaseFee(market) : bytesToBigint(row)
}

/** Returns the base fee of the block after `height`, in wei per gas. */
export function baseFeeAfter(
  state: { legacy(key: Uint8Array, height: number): Uint8Array | undefined },
  height: number,
  market: FeeMarket,
): bigint {
  return wholeWei(decodeBaseFee(state.legacy(BASE_FEE_KEY, height), market))
}
