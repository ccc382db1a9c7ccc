import { equalBytes } from '../../base/bytes.ts'

/** Header fields of one block that are set by hand; a field that is left out follows the chain's rules. */
export interface HeaderSettings {
  /** Wei per unit of gas; the base fee of the block after follows from it. */
  readonly baseFee?: bigint | undefined
  /** 20 bytes. */
  readonly coinbase?: Uint8Array | undefined
  /** 32 bytes. */
  readonly prevRandao?: Uint8Array | undefined
  readonly gasLimit?: bigint | undefined
}

/** Of a block that follows the chain's rules in everything. */
export const NO_SETTINGS: HeaderSettings = {}

export function isSameSettings(a = NO_SETTINGS, b = NO_SETTINGS): boolean {
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
