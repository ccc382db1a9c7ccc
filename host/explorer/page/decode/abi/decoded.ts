import type { Hex } from '../../../../base/hex.ts'
import type { AbiItem } from './abi-item.ts'
import type { Value } from './value.ts'

/** Bytes as a call, an error or a log. */
export interface Decoded {
  readonly kind: 'decoded'
  readonly item: AbiItem
  readonly values: readonly Value[]
  /** `transfer(to: 0x..., amount: 5)`. */
  readonly text: string
  /** Encoding the values again gives the same bytes. */
  readonly isExact: boolean
  /** Bytes behind the last value: some senders put notes there. */
  readonly rest: Hex
  /** What is odd about the bytes, in words; undefined where nothing is. */
  readonly problem: string | undefined
  /** Other items that the same bytes fit, which have the same selector. */
  readonly others: readonly Decoded[]
}

/** Bytes that nothing is known of, or that are not what they claim. */
export interface Raw {
  readonly kind: 'raw'
  readonly bytes: Hex
  /** First four bytes of calldata or an error, first topic of a log. */
  readonly selector: Hex | undefined
  /** Why, in a sentence. */
  readonly why: string
}
