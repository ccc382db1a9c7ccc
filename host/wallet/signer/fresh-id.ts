import { randomInt } from 'node:crypto'

const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const LENGTH = 24

/** Returns a random unique id: 24 letters and digits, 124 bits. */
export function freshId(): string {
  return Array.from({ length: LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('')
}
