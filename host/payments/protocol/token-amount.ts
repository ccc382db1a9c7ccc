/** Converts a decimal number of tokens to smallest units; undefined if it has too many decimals. */
export function tokenUnits(amount: string, decimals: number): bigint | undefined {
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > decimals) return undefined
  return BigInt(`${whole}${digits.padEnd(decimals, '0')}`)
}

/** Formats smallest units as tokens with all significant digits: 1000 with six decimals is 0.001. */
export function formatTokenAmount(units: bigint, decimals: number): string {
  const digits = `${units}`.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
}
