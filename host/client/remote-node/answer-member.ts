import type { JsonMember } from '../../evm/trace/bundle/bundle-json.ts'

// Members of answers that nodes encode in more than one way.

/** Returns true if a member is present: nodes write null for absent ones. */
export function isGiven({ value }: JsonMember): boolean {
  return value !== undefined && value !== null
}

export function given<Value>(
  member: JsonMember,
  read: (member: JsonMember) => Value,
): Value | undefined {
  return isGiven(member) ? read(member) : undefined
}

/** Decodes a hex quantity that may have leading zeros, which some nodes write. */
export function loose(member: JsonMember, bits: number): bigint {
  const { value } = member
  const isHex = typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
  const number = isHex ? BigInt(value) : undefined
  if (number === undefined || number >> BigInt(bits) !== 0n) {
    throw member.wants(`a hex quantity of at most ${bits} bits`)
  }
  return number
}
