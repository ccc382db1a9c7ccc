import type { Hex } from '../../../../base/hex.ts'
import type { AbiItem } from './abi-item.ts'
import type { DecodedValue } from './value.ts'

/** Bytes decoded as a call, an error or a log. */
export interface Decoded {
  readonly kind: 'decoded'
  readonly item: AbiItem
  readonly values: readonly DecodedValue[]
  /** `transfer(to: 0x..., amount: 5)`. */
  readonly text: string
  /** Encoding the values again gives the same bytes. */
  readonly isExact: boolean
  /** Bytes after the last value: some senders put notes there. */
  readonly rest: Hex
  /** An oddity of the bytes, in words; undefined if there is none. */
  readonly problem: string | undefined
  /** Other items with the same selector that match the bytes. */
  readonly others: readonly Decoded[]
}

/** Bytes that are unknown or malformed. */
export interface Raw {
  readonly kind: 'raw'
  readonly bytes: Hex
  /** First four bytes of calldata or an error, first topic of a log. */
  readonly selector: Hex | undefined
  /** The reason, in a sentence. */
  readonly why: string
}
