import type { FirstDifference } from '../../entry/replay.ts'
import { opcodeName } from '../../evm/engine/opcode.ts'

/** Returns a difference as data: the content of `describeDifference`, with the opcode by name. */
export function differenceFacts(difference: FirstDifference): Readonly<Record<string, unknown>> {
  if (!('at' in difference) || difference.at === undefined) return { ...difference }
  const { at } = difference
  return { ...difference, at: { ...at, opcode: opcodeName(at.opcode) } }
}

/** Formats a count: `1 transaction`, `2 transactions`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
