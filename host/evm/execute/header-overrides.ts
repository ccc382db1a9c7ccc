import { equalBytes } from '../../base/bytes.ts'

/** Header fields of one block set by a developer. Undefined ones follow the chain's rules. */
export interface HeaderOverrides {
  /** Wei per gas. The next block's base fee follows from it. */
  readonly baseFee?: bigint | undefined
  /** 20 bytes. */
  readonly coinbase?: Uint8Array | undefined
  /** 32 bytes. */
  readonly prevRandao?: Uint8Array | undefined
  readonly gasLimit?: bigint | undefined
}

/** Settings of a block that follows the chain's rules in every field. */
export const NO_HEADER_OVERRIDES: HeaderOverrides = {}

export function isSameHeaderOverrides(a = NO_HEADER_OVERRIDES, b = NO_HEADER_OVERRIDES): boolean {
  return (
    a.baseFee === b.baseFee &&
    a.gasLimit === b.gasLimit &&
    isSameBytes(a.coinbase, b.coinbase) &&
    isSameBytes(a.prevRandao, b.prevRandao)
  )
}

function isSameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b)
}
