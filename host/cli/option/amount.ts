import { LockstepError } from '../../base/error.ts'

/** Decimals of each unit, relative to wei. */
const PLACES = { wei: 0, gwei: 9, ether: 18 } as const

const MAX_AMOUNT = 2n ** 256n - 1n

/**
 * Parses an amount such as `1ether`, `0.5ether`, `5gwei`, `7wei` or `7` to wei; undefined if it is invalid or has a
 * fraction of a wei.
 */
export function readAmount(text: string): bigint | undefined {
  const [, whole, fraction = '', unit = 'wei'] =
    /^(\d{1,78})(?:\.(\d{1,18}))?(wei|gwei|ether)?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const places = PLACES[unit as keyof typeof PLACES]
  if (fraction.length > places) return undefined
  const amount = BigInt(whole + fraction.padEnd(places, '0'))
  return amount > MAX_AMOUNT ? undefined : amount
}

/** Parses an argument to wei. @throws INVALID_ARGUMENT naming it */
export function parseAmount(text: string, name: string): bigint {
  const amount = readAmount(text)
  if (amount !== undefined) return amount
  throw new LockstepError('INVALID_ARGUMENT', `${name}: "${text}" is not an amount`, {
    hint: 'write it as 1ether, 0.5ether, 5gwei or 7wei; without a unit it is wei',
  })
}

/** Formats an amount in ether with all its digits: 0.000021 ether. */
export function formatEther(wei: bigint): string {
  const digits = wei.toString().padStart(PLACES.ether + 1, '0')
  const point = digits.length - PLACES.ether
  const fraction = digits.slice(point).replace(/0+$/, '')
  return `${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`} ether`
}
