import type { Condition, Rule } from '../protocol/policy-shapes.ts'
import type { ConditionFinding } from './decision.ts'
import { type AbiBook, type Field, findField, SOURCE_METHODS } from './field.ts'
import { holds, OPERATOR_TYPES } from './operator.ts'
import type { Context, Reading } from './reading.ts'
import { ruleProblem, shown } from './rule-problem.ts'
import { parseScalar, SCALAR_FORMS, type Scalar, type ScalarType } from './scalar.ts'

export interface CompiledCondition {
  readonly condition: Condition
  judge(context: Context): ConditionFinding
}

const MAX_VALUES = 1000
const MAX_WORD = (1n << 256n) - 1n
const MIN_WORD = -(1n << 255n)

/** @throws INVALID_ARGUMENT where the text is no value that the field can have */
function operandOf({ type, isSigned, length, known }: Field, text: unknown, place: string): Scalar {
  if (typeof text !== 'string') {
    const hint = 'write values as strings: numbers of JSON lose digits beyond 2^53'
    throw ruleProblem(place, `${shown(text)} is not a string`, hint)
  }
  const scalar = parseScalar(type, text)
  if (scalar === undefined) {
    throw ruleProblem(
      place,
      `${shown(text)} is not ${SCALAR_FORMS[type]}`,
      `write ${SCALAR_FORMS[type]}`,
    )
  }
  if (typeof scalar === 'bigint' && (scalar > MAX_WORD || scalar < (isSigned ? MIN_WORD : 0n))) {
    const hint = isSigned ? 'write an integer of 256 bits' : 'write an integer from 0 to 2^256 - 1'
    throw ruleProblem(place, `${shown(text)} is beyond the values of the field`, hint)
  }
  if (length !== undefined && (scalar as string).length > 2 + 2 * length) {
    throw ruleProblem(place, `${shown(text)} is longer than the field`, `write ${length} bytes`)
  }
  if (known !== undefined && !known.includes(scalar as string)) {
    throw ruleProblem(
      place,
      `${shown(text)} is no function of the ABI`,
      `write one of ${known.join(', ')}`,
    )
  }
  return scalar
}

function operandsOf(condition: Condition, field: Field, place: string): Scalar | readonly Scalar[] {
  const { operator, value } = condition
  const at = `${place}.value`
  // Parts of a name need not be a name.
  const whole = operator === 'eq' || operator === 'in'
  const { known: _, ...open } = field
  const taken = whole ? field : open
  if (operator !== 'in') {
    if (!Array.isArray(value)) return operandOf(taken, value, at)
    throw ruleProblem(at, `an array for ${operator}`, 'write one value, or the operator in')
  }
  if (!Array.isArray(value)) {
    throw ruleProblem(at, `${shown(value)} for in`, 'write an array of values, or the operator eq')
  }
  if (value.length > MAX_VALUES) {
    const hint = `write at most ${MAX_VALUES}, or several rules`
    throw ruleProblem(at, `${value.length} values`, hint)
  }
  return value.map((each, index) => operandOf(taken, each, `${at}[${index}]`))
}

/** @throws INVALID_ARGUMENT that names the member and what to write */
export function compileCondition(
  condition: Condition,
  rule: Pick<Rule, 'method' | 'action'>,
  place: string,
  book: AbiBook,
): CompiledCondition {
  const { field_source: source, operator } = condition
  const methods = SOURCE_METHODS[source]
  if (methods !== undefined && !methods.includes(rule.method)) {
    const hint = `use it in rules of ${methods.join(', ')}`
    throw ruleProblem(`${place}.field_source`, `${rule.method} has nothing of ${source}`, hint)
  }
  const field = findField(condition, place, book)
  const types: readonly ScalarType[] = OPERATOR_TYPES[operator]
  if (!types.includes(field.type)) {
    const fitting = Object.entries(OPERATOR_TYPES).filter(([, each]) => each.includes(field.type))
    const hint = `write one of ${fitting.map(([name]) => name).join(', ')}`
    throw ruleProblem(`${place}.operator`, `${operator} does not compare ${field.type}`, hint)
  }
  const operand = operandsOf(condition, field, place)
  const compare = (actual: Scalar) => holds(field.type, actual, operator, operand)
  return {
    condition,
    judge: (context) => found(condition, rule.action, field.read(context), compare),
  }
}

/**
 * A rule that allows needs all of a list to meet the condition, and to know it; one that denies needs one of them, or
 * no more than the doubt.
 */
export function found(
  { field_source, field, operator, value }: Condition,
  action: Rule['action'],
  reading: Reading,
  compare: (actual: Scalar) => boolean,
): ConditionFinding {
  const denies = action === 'DENY'
  const shape = { field: `${field_source}.${field}`, operator, expected: value }
  if (reading.kind !== 'values') {
    const holds = denies && reading.kind === 'unknown'
    return { ...shape, actual: undefined, problem: reading.problem, holds }
  }
  const { values, doubt } = reading
  const actual = values.length === 1 ? String(values[0]) : values.map(String).join(', ')
  if (values.length === 0) {
    return { ...shape, actual: undefined, problem: 'the list has no such item', holds: false }
  }
  const met = denies ? values.some(compare) : values.every(compare)
  if (met || doubt === undefined) return { ...shape, actual, holds: met }
  return { ...shape, actual, problem: doubt, holds: denies }
}
