import type { Hex } from '../../../../base/hex.ts'

/** A decoded ABI value. */
export interface DecodedValue {
  /** Undefined if the ABI gives none. */
  readonly name: string | undefined
  /** Type as in a signature: `uint256`, `(address,bytes)[]`. */
  readonly type: string
  /** Solidity's own type, if the ABI has it: `enum Kind`, `contract IERC20`, `struct Order[]`. */
  readonly internalType: string | undefined
  /**
   * Integers as bigint, addresses (with checksum) and bytes as hex, strings unchanged. Undefined if there are
   * `parts`, or if the bytes are malformed.
   */
  readonly data: bigint | boolean | string | undefined
  /** Elements of an array, members of a tuple. */
  readonly parts: readonly DecodedValue[] | undefined
  /** Complete, on one line, safe to display. */
  readonly text: string
  /** Why the bytes are not a value of this type in standard encoding. */
  readonly problem: string | undefined
  /** Range of its bytes in the data; for a dynamic value that of the content, after its length. */
  readonly offset: number
  readonly size: number
}

/** Values decoded from bytes. */
export interface Values {
  readonly values: readonly DecodedValue[]
  /** Encoding the values again gives the same bytes. */
  readonly isExact: boolean
  /** The bytes after the last value. */
  readonly rest: Hex
  /** Why decoding stopped; the values before that are included. */
  readonly problem: string | undefined
}
