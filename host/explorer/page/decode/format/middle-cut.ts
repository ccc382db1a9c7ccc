import type { Hex } from '../../../../base/hex.ts'

/** Shortens a long text in the middle to `most` characters. */
export function middleCut(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = most - 1
  const tail = Math.floor(kept / 3)
  return `${text.slice(0, kept - tail)}…${tail === 0 ? '' : text.slice(-tail)}`
}

/** Formats a word without leading zeros, shortened in the middle if it is a hash: `0x2a`, `0x8d3f5a1b2c…9f0e`. */
export function shortWord(word: Hex): string {
  const digits = word.slice(2).replace(/^0+(?=.)/, '')
  return middleCut(`0x${digits}`, 44)
}
