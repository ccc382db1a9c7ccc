import type { Hex } from '../../../../base/hex.ts'

/** Shortens a long text in the middle to at most `most` UTF-16 units; characters stay whole. */
export function middleCut(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = most - 1
  const tail = Math.floor(kept / 3)
  const end = boundaryAt(text, kept - tail, -1)
  const start = boundaryAt(text, text.length - tail, 1)
  return `${text.slice(0, end)}…${text.slice(start)}`
}

/** Returns the place itself, or the one beside it if a surrogate pair is around the place. */
function boundaryAt(text: string, place: number, aside: 1 | -1): number {
  const isWithin = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(place - 1, place + 1))
  return isWithin ? place + aside : place
}

/** Formats a word without leading zeros, shortened in the middle if it is a hash: `0x2a`, `0x8d3f5a1b2c…9f0e`. */
export function shortWord(word: Hex): string {
  const digits = word.slice(2).replace(/^0+(?=.)/, '')
  return middleCut(`0x${digits}`, 44)
}
