import type { ApiCondition, ApiRule, ConditionOperator } from '../protocol/policy-shapes.ts'
import type { ConditionFinding, WindowCharge } from './decision.ts'
import { type Field, findField, type ParsedAbis, SOURCE_METHODS } from './field.ts'
import { comparisonCost, holds, OPERATOR_TYPES } from './operator.ts'
import {
  affordable,
  type Context,
  fromSimulation,
  openReading,
  type Reading,
  unknown,
  value,
} from './reading.ts'
import { ruleProblem, shown } from './rule-problem.ts'
import { type PolicyScalar, parseScalar, SCALAR_FORMS, type ScalarType } from './scalar.ts'
import { parseAsset, spendingOf } from './spending.ts'

export interface CompiledCondition {
  readonly isWindow: boolean
  judge(context: Context): ConditionResult
}

/** Result of a condition, and what to charge its window if the rule decides and the action is signed. */
export interface ConditionResult {
  readonly finding: ConditionFinding
  readonly charge?: WindowCharge
}

type Operand = Omit<Field, 'read'>

const MAX_VALUES = 1000
const MAX_WORD = (1n << 256n) - 1n
const MIN_WORD = -(1n << 255n)

/** @throws INVALID_ARGUMENT if the field cannot have this value */
function operandOf(
  { type, isSigned, length, known }: Operand,
  text: unknown,
  place: string,
): PolicyScalar {
  if (typeof text !== 'string') {
    const hint = 'write values as strings: JSON numbers lose digits beyond 2^53'
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
    throw ruleProblem(place, `${shown(text)} is out of the range of the field`, hint)
  }
  if (length !== undefined && (scalar as string).length > 2 + 2 * length) {
    throw ruleProblem(place, `${shown(text)} is longer than the field`, `write ${length} bytes`)
  }
  if (known !== undefined && !known.includes(scalar as string)) {
    throw ruleProblem(
      place,
      `${shown(text)} is not a function of the ABI`,
      `write one of ${known.join(', ')}`,
    )
  }
  return scalar
}

function operandsOf(
  condition: ApiCondition,
  field: Operand,
  place: string,
): PolicyScalar | readonly PolicyScalar[] {
  const { operator, value: given } = condition
  const at = `${place}.value`
  // A part of a function name need not be a function name itself.
  const whole = operator === 'eq' || operator === 'in'
  const { known: _, ...open } = field
  const taken = whole ? field : open
  if (operator !== 'in') {
    if (!Array.isArray(given)) return operandOf(taken, given, at)
    throw ruleProblem(at, `${operator} takes no array`, 'write one value, or the operator in')
  }
  if (!Array.isArray(given)) {
    throw ruleProblem(
      at,
      `${shown(given)} is not an array`,
      'write an array of values, or the operator eq',
    )
  }
  if (given.length > MAX_VALUES) {
    const hint = `write at most ${MAX_VALUES}, or several rules`
    throw ruleProblem(at, `${given.length} values`, hint)
  }
  return given.map((each, index) => operandOf(taken, each, `${at}[${index}]`))
}

/** The part of a rule that its conditions depend on. A draft has no id yet. */
export type RuleOfCondition = Pick<ApiRule, 'method' | 'action'> & { readonly id?: string }

/** @throws INVALID_ARGUMENT with the member and the remedy */
export function compilePolicyCondition(
  condition: ApiCondition,
  rule: RuleOfCondition,
  place: string,
  book: ParsedAbis,
): CompiledCondition {
  const { field_source: source, operator } = condition
  const methods = SOURCE_METHODS[source]
  if (methods !== undefined && !methods.includes(rule.method)) {
    const hint = `use it in rules of ${methods.join(', ')}`
    throw ruleProblem(`${place}.field_source`, `${rule.method} has no ${source}`, hint)
  }
  if (source === 'spending_window') return compileWindow(condition, rule, place)
  const field = findField(condition, place, book)
  const types: readonly ScalarType[] = OPERATOR_TYPES[operator]
  if (!types.includes(field.type)) {
    const fitting = Object.entries(OPERATOR_TYPES).filter(([, each]) => each.includes(field.type))
    const hint = `write one of ${fitting.map(([name]) => name).join(', ')}`
    throw ruleProblem(
      `${place}.operator`,
      `${operator} does not apply to the type ${field.type}`,
      hint,
    )
  }
  const operand = operandsOf(condition, field, place)
  const compare = (actual: PolicyScalar) => holds(field.type, actual, operator, operand)
  return {
    isWindow: false,
    judge: (context) => {
      const read = field.read(context)
      const cost = read.kind === 'values' ? comparisonCost(read.values, operator, operand) : 0
      const reading = affordable(context, read, cost)
      return { finding: findingOf(condition, rule.action, reading, compare) }
    },
  }
}

/** Findings are returned and stored, and calldata may be 100 kB long with as many conditions. */
const MAX_SHOWN = 200

function shownValues(values: readonly PolicyScalar[]): string {
  const text = values
    .slice(0, MAX_SHOWN)
    .map((each) => String(each).slice(0, MAX_SHOWN + 1))
    .join(', ')
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}...`
}

/**
 * Applies a condition to one or more values. An ALLOW rule needs all values to match, without doubt. A DENY rule
 * needs one match, or only the doubt.
 */
export function findingOf(
  { field_source, field, operator, value: expected }: ApiCondition,
  action: ApiRule['action'],
  reading: Reading,
  compare: (actual: PolicyScalar) => boolean,
): ConditionFinding {
  const denies = action === 'DENY'
  const shape = { field: `${field_source}.${field}`, operator, expected }
  if (reading.kind === 'open') {
    const { problem, parts } = reading
    return { ...shape, actual: undefined, problem, holds: false, open: parts }
  }
  const origin = 'isTried' in reading ? { isTried: true as const } : {}
  if (reading.kind !== 'values') {
    const holds = denies && reading.kind === 'unknown'
    return { ...shape, actual: undefined, problem: reading.problem, holds, ...origin }
  }
  const { values, doubt } = reading
  const actual = shownValues(values)
  if (values.length === 0) {
    return { ...shape, actual: undefined, problem: 'the list has no such item', holds: false }
  }
  const met = denies ? values.some(compare) : values.every(compare)
  if (met || doubt === undefined) return { ...shape, actual, holds: met, ...origin }
  return { ...shape, actual, problem: doubt, holds: denies, ...origin }
}

const MAX_PERIOD = 31_536_000

/**
 * Compiles a limit on what a rule has let out within a period, including this action. ALLOW takes an upper bound and
 * DENY a lower bound: reversed, the first action would be denied and the last one allowed.
 */
function compileWindow(
  condition: ApiCondition,
  rule: RuleOfCondition,
  place: string,
): CompiledCondition {
  const { operator, period } = condition
  const asset = parseAsset(condition.field)
  if (asset === undefined) {
    const hint = 'write native, native_with_fee, or the address of an ERC-20 token'
    throw ruleProblem(`${place}.field`, `${shown(condition.field)} is not an asset`, hint)
  }
  const operators: readonly ConditionOperator[] =
    rule.action === 'ALLOW' ? ['lte', 'lt'] : ['gt', 'gte']
  if (!operators.includes(operator)) {
    const hint = `write ${operators.join(' or ')}`
    const what = `${operator} cannot limit a sum in a rule with ${rule.action}`
    throw ruleProblem(`${place}.operator`, what, hint)
  }
  if (!Number.isInteger(period) || (period as number) < 1 || (period as number) > MAX_PERIOD) {
    const hint = `write seconds, from 1 to ${MAX_PERIOD}: 86400 is a day`
    throw ruleProblem(`${place}.period`, `${shown(period)} is not a valid period`, hint)
  }
  const limit = operandsOf(condition, { type: 'integer' }, place)
  const compare = (actual: PolicyScalar) => holds('integer', actual, operator, limit)
  const judge = (context: Context): ConditionResult => {
    const { question } = context
    const open = asset === 'native_with_fee' ? openReading(context, 'gas', 'fees') : undefined
    if (open !== undefined) return { finding: findingOf(condition, rule.action, open, compare) }
    const spending = spendingOf(asset, question)
    if (typeof spending === 'string') {
      return { finding: findingOf(condition, rule.action, unknown(spending), compare) }
    }
    const { amount, chainId } = spending
    if (amount === 0n) {
      // An action that spends nothing is not affected by earlier ones.
      const { holds, ...finding } = findingOf(condition, rule.action, value(0n), compare)
      return { finding: { ...finding, holds: rule.action === 'ALLOW' } }
    }
    const window = `${rule.id}/${asset}/eip155:${chainId}`
    const sum = question.windows.spent(window, period as number) + amount
    const isTried = asset === 'native_with_fee' && question.isGasTried === true
    const reading = isTried ? fromSimulation(value(sum)) : value(sum)
    // If an earlier charge has the same nonce and no block includes it, the new charge replaces it. Until the nonce
    // is known, the sum is uncertain.
    const doubtful = compare(sum) === (rule.action === 'DENY')
    const later = doubtful ? openReading(context, 'nonce') : undefined
    return {
      finding: findingOf(condition, rule.action, later ?? reading, compare),
      charge: { window, amount },
    }
  }
  return { isWindow: true, judge }
}
