import type { Hex } from '../../../../base/hex.ts'
import { middleCut } from '../../decode/format/middle-cut.ts'

/** Formats a word without leading zeros, shortened in the middle if it is a hash: `0x2a`, `0x8d3f5a1b2c…9f0e`. */
export function shortWord(word: Hex): string {
  const digits = word.slice(2).replace(/^0+(?=.)/, '')
  return middleCut(`0x${digits}`, 44)
}
