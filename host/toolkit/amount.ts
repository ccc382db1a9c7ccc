import { ActionError } from './action-error.ts'
import { plainText } from './plain-text.ts'

export const MAX_UINT256: bigint = 2n ** 256n - 1n

/**
 * Converts a decimal amount to the smallest unit, without rounding.
 * @throws INVALID_ARGUMENT for signs, exponents, separators, more places than the token has, or more than 2^256 - 1
 */
export function parseUnits(text: string, decimals: number, name: string): bigint {
  const shown = plainText(text, 60)
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,77})(?:\.(\d{1,78}))?$/.exec(text) ?? []
  if (whole === undefined) {
    throw new ActionError('INVALID_ARGUMENT', `${name}: "${shown}" is not a decimal amount`, {
      next: 'write it with digits and a point only, such as "1.5": no sign, exponent, unit or separator',
    })
  }
  if (fraction.length > decimals) {
    const text = `${name}: "${shown}" has ${fraction.length} decimal places, but the token has ${decimals}`
    throw new ActionError('INVALID_ARGUMENT', text, {
      next: `give at most ${decimals} decimal places: nothing is rounded`,
    })
  }
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (units <= MAX_UINT256) return units
  throw new ActionError('INVALID_ARGUMENT', `${name}: "${shown}" does not fit into 256 bits`)
}

/** Returns a decimal amount with all digits, without trailing zeros. */
export function formatUnits(units: bigint, decimals: number): string {
  if (decimals === 0) return units.toString()
  const digits = units.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}
