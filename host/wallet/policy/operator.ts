import type { Operator } from '../protocol/policy-shapes.ts'
import type { Scalar, ScalarType } from './scalar.ts'

/** Types that an operator compares: the others are refused when the rule is written. */
export const OPERATOR_TYPES: Readonly<Record<Operator, readonly ScalarType[]>> = {
  eq: ['integer', 'address', 'bytes', 'text', 'bool'],
  in: ['integer', 'address', 'bytes', 'text', 'bool'],
  gt: ['integer'],
  gte: ['integer'],
  lt: ['integer'],
  lte: ['integer'],
  contains: ['text', 'bytes'],
  starts_with: ['text', 'bytes'],
  ends_with: ['text', 'bytes'],
}

type Operand = Scalar | readonly Scalar[]

function containsBytes(whole: string, part: string): boolean {
  // A match has to begin at a whole byte: 0x1234 does not contain 0x23.
  const digits = part.slice(2)
  for (let at = whole.indexOf(digits, 2); at >= 0; at = whole.indexOf(digits, at + 1)) {
    if (at % 2 === 0) return true
  }
  return false
}

/** `<value of the action> <operator> <value of the rule>`: both of the one type, which the operator takes. */
export function holds(
  type: ScalarType,
  actual: Scalar,
  operator: Operator,
  operand: Operand,
): boolean {
  if (operator === 'in') return (operand as readonly Scalar[]).includes(actual)
  const expected = operand as Scalar
  switch (operator) {
    case 'eq':
      return actual === expected
    case 'gt':
      return actual > expected
    case 'gte':
      return actual >= expected
    case 'lt':
      return actual < expected
    case 'lte':
      return actual <= expected
  }
  const whole = actual as string
  const part = expected as string
  switch (operator) {
    case 'contains':
      return type === 'bytes' ? containsBytes(whole, part) : whole.includes(part)
    case 'starts_with':
      return whole.startsWith(part)
    case 'ends_with':
      return type === 'bytes' ? whole.slice(2).endsWith(part.slice(2)) : whole.endsWith(part)
  }
}
