import type { ConditionOperator } from '../protocol/policy-shapes.ts'
import type { PolicyScalar, ScalarType } from './scalar.ts'

/** Types that an operator applies to. Rules with others are rejected. */
export const OPERATOR_TYPES: Readonly<Record<ConditionOperator, readonly ScalarType[]>> = {
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

type Operand = PolicyScalar | readonly PolicyScalar[]

/**
 * True if `part` occurs in `whole` at `from` plus a multiple of `step`. Knuth-Morris-Pratt: a naive search would take
 * seconds for a megabyte of almost repeating text.
 */
function containsAt(whole: string, part: string, from: number, step: number): boolean {
  const length = part.length
  if (length === 0) return true
  // For each prefix of `part`, the length of its longest border.
  const borders = new Int32Array(length)
  for (let at = 1, border = 0; at < length; at++) {
    while (border > 0 && part.charCodeAt(at) !== part.charCodeAt(border)) {
      border = borders[border - 1] as number
    }
    if (part.charCodeAt(at) === part.charCodeAt(border)) border++
    borders[at] = border
  }
  for (let at = from, found = 0; at < whole.length; at++) {
    const code = whole.charCodeAt(at)
    while (found > 0 && code !== part.charCodeAt(found)) found = borders[found - 1] as number
    if (code === part.charCodeAt(found)) found++
    if (found < length) continue
    if ((at - length + 1 - from) % step === 0) return true
    found = borders[found - 1] as number
  }
  return false
}

/** Matches start at a whole byte: 0x1234 does not contain 0x23. */
function containsBytes(whole: string, part: string): boolean {
  return containsAt(whole, part.slice(2), 2, 2)
}

/**
 * Returns the cost of a comparison: all characters for `contains`, else one per pair, as pairs differ early or are
 * short.
 */
export function comparisonCost(
  values: readonly PolicyScalar[],
  operator: ConditionOperator,
  operand: Operand,
): number {
  if (operator === 'in') return values.length * (operand as readonly PolicyScalar[]).length
  if (operator !== 'contains') return values.length
  return values.reduce<number>((sum, value) => sum + 1 + String(value).length, 0)
}

/**
 * Returns `<value of the action> <operator> <value of the rule>`. Both have the type `type`, which the operator must
 * support.
 */
export function holds(
  type: ScalarType,
  actual: PolicyScalar,
  operator: ConditionOperator,
  operand: Operand,
): boolean {
  if (operator === 'in') return (operand as readonly PolicyScalar[]).includes(actual)
  const expected = operand as PolicyScalar
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
      return type === 'bytes' ? containsBytes(whole, part) : containsAt(whole, part, 0, 1)
    case 'starts_with':
      return whole.startsWith(part)
    case 'ends_with':
      return type === 'bytes' ? whole.slice(2).endsWith(part.slice(2)) : whole.endsWith(part)
  }
}
