import type { Hex } from '../../../../base/hex.ts'

/** A value of the ABI, as it was found in bytes. */
export interface Value {
  /** Undefined where the ABI gives none. */
  readonly name: string | undefined
  /** Type as in a signature: `uint256`, `(address,bytes)[]`. */
  readonly type: string
  /** Solidity's own type, where the ABI has it: `enum Kind`, `contract IERC20`, `struct Order[]`. */
  readonly internalType: string | undefined
  /**
   * Integers as bigint, addresses (with checksum) and bytes as hex, strings as they are; undefined where there are
   * `parts`, and where the bytes are no such value.
   */
  readonly data: bigint | boolean | string | undefined
  /** Elements of an array, members of a tuple. */
  readonly parts: readonly Value[] | undefined
  /** On one line, complete, safe to show. */
  readonly text: string
  /** Why the bytes are no value of this type as a compiler writes it. */
  readonly problem: string | undefined
  /** Where its bytes lie in what was decoded: of a dynamic value the content, its length before it. */
  readonly offset: number
  readonly size: number
}

/** Bytes that were found to be values. */
export interface Values {
  readonly values: readonly Value[]
  /** They are what a compiler would have written: encoding them again gives the same bytes. */
  readonly isExact: boolean
  /** What lies behind the last value. */
  readonly rest: Hex
  /** Why not all could be read; the values before that are there. */
  readonly problem: string | undefined
}
