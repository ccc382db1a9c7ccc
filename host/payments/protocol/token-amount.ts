/** A number of tokens in their smallest unit; undefined where it has more decimals than they. */
export function tokenUnits(amount: string, decimals: number): bigint | undefined {
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > decimals) return undefined
  return BigInt(`${whole}${digits.padEnd(decimals, '0')}`)
}

/** All digits of an amount of smallest units: 0.001 for 1000 of a token with six decimals. */
export function tokenAmount(units: bigint, decimals: number): string {
  const digits = `${units}`.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
}
