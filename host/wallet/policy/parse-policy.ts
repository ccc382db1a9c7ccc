import { lookup } from '../../base/lookup.ts'
import { nameProblem } from '../../base/plain-name.ts'
import {
  type ApiCondition,
  type ApiPolicy,
  type ApiRule,
  FIELD_SOURCES,
  OPERATORS,
  RULE_METHODS,
} from '../protocol/policy-shapes.ts'
import { compilePolicyCondition } from './condition.ts'
import { fieldName, type ParsedAbis } from './field.ts'
import { ruleProblem, shown } from './rule-problem.ts'

/** A rule as received. The signer assigns an id, or keeps that of the rule it replaces. */
export type RuleDraft = Omit<ApiRule, 'id'> & { readonly id?: string }

/** A policy as received. Its owner is parsed elsewhere. */
export interface PolicyDraft extends Pick<ApiPolicy, 'version' | 'name' | 'chain_type'> {
  readonly rules: readonly RuleDraft[]
}

const MAX_RULES = 100
const MAX_CONDITIONS = 100
const MAX_NAME = 256

type Members = Readonly<Record<string, unknown>>

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns the members of an object by their snake_case names. Rejects unknown members and those in both spellings. */
function membersOf(given: unknown, place: string, known: readonly string[]): Members {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw ruleProblem(
      place,
      `${shown(given)} is not an object`,
      `write an object with ${known.join(', ')}`,
    )
  }
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const member = snakeCase(name)
    const at = `${place}.${name}`
    if (!known.includes(member)) {
      throw ruleProblem(at, 'there is no such member', `write only ${known.join(', ')}`)
    }
    if (Object.hasOwn(members, member)) {
      throw ruleProblem(at, `${member} is given twice`, `write it once, as ${member}`)
    }
    members[member] = value
  }
  return members
}

function oneOf<Choice extends string>(
  given: unknown,
  choices: readonly Choice[],
  place: string,
): Choice {
  const found = choices.find((choice) => choice === given)
  if (found !== undefined) return found
  const what = given === undefined ? 'it is missing' : `${shown(given)} is not valid`
  throw ruleProblem(place, what, `write one of ${choices.join(', ')}`)
}

function textOf(given: unknown, place: string): string {
  if (typeof given === 'string' && given.length > 0 && given.length <= MAX_NAME) return given
  const what = given === undefined ? 'it is missing' : `${shown(given)} is not a valid text`
  throw ruleProblem(place, what, `write a text of 1 to ${MAX_NAME} characters`)
}

function nameOf(given: unknown, place: string): string {
  const name = textOf(given, place)
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw ruleProblem(place, problem, 'use letters, digits, spaces and punctuation')
}

function listOf(given: unknown, most: number, place: string): readonly unknown[] {
  if (!Array.isArray(given)) {
    const what = given === undefined ? 'it is missing' : `${shown(given)} is not an array`
    throw ruleProblem(place, what, 'write an array, or [] for none')
  }
  if (given.length <= most) return given
  throw ruleProblem(place, `has ${given.length} items, more than ${most}`, `write at most ${most}`)
}

const CONDITION = ['field_source', 'field', 'operator', 'value', 'abi', 'typed_data', 'period']
const RULE = ['id', 'name', 'method', 'action', 'conditions']
const POLICY = ['version', 'name', 'chain_type', 'rules']
/** Further members of requests, which are parsed elsewhere. */
const REQUEST = ['id', 'owner', 'owner_id', 'created_at']

/** Members that only conditions of one source have. */
const MEMBER_SOURCES: Readonly<Record<string, ApiCondition['field_source']>> = {
  abi: 'ethereum_calldata',
  typed_data: 'ethereum_typed_data_message',
  period: 'spending_window',
}

function parseCondition(
  given: unknown,
  rule: Pick<ApiRule, 'method' | 'action'>,
  place: string,
  book: ParsedAbis,
): ApiCondition {
  const members = membersOf(given, place, CONDITION)
  const source = oneOf(members.field_source, FIELD_SOURCES, `${place}.field_source`)
  for (const [member, wanted] of Object.entries(MEMBER_SOURCES)) {
    if (
      lookup(members, member) !== undefined &&
      lookup(members, member) !== null &&
      source !== wanted
    ) {
      throw ruleProblem(
        `${place}.${member}`,
        `${source} has none`,
        `leave it out, or use ${wanted}`,
      )
    }
  }
  const condition: ApiCondition = {
    field_source: source,
    field: fieldName(source, textOf(members.field, `${place}.field`)),
    operator: oneOf(members.operator, OPERATORS, `${place}.operator`),
    value: members.value as ApiCondition['value'],
    ...(source === 'ethereum_calldata' && { abi: members.abi as readonly unknown[] }),
    ...(source === 'ethereum_typed_data_message' && { typed_data: members.typed_data }),
    ...(source === 'spending_window' && { period: members.period as number }),
  }
  compilePolicyCondition(condition, rule, place, book)
  return condition
}

/** True if a condition reads the bytes to sign. */
function isOfBytes({ field_source }: ApiCondition): boolean {
  return ['ethereum_transaction', 'ethereum_calldata', 'spending_window'].includes(field_source)
}

function parseRuleAt(given: unknown, place: string, book: ParsedAbis): RuleDraft {
  const members = membersOf(given, place, RULE)
  const rule = {
    name: nameOf(members.name, `${place}.name`),
    method: oneOf(members.method, RULE_METHODS, `${place}.method`),
    action: oneOf(members.action, ['ALLOW', 'DENY'], `${place}.action`),
  }
  const conditions = listOf(members.conditions, MAX_CONDITIONS, `${place}.conditions`).map(
    (condition, index) => parseCondition(condition, rule, `${place}.conditions[${index}]`, book),
  )
  const unverified = conditions.some(({ field_source }) => field_source === 'simulation')
  if (rule.action === 'ALLOW' && unverified && !conditions.some(isOfBytes)) {
    const hint = 'add conditions on the transaction: the signer cannot verify a simulation'
    throw ruleProblem(`${place}.conditions`, 'the rule would allow by a simulation alone', hint)
  }
  const id = members.id === undefined ? {} : { id: textOf(members.id, `${place}.id`) }
  return { ...id, ...rule, conditions }
}

function parseRules(given: unknown): readonly RuleDraft[] {
  const book: ParsedAbis = new Map()
  return listOf(given, MAX_RULES, 'rules').map((rule, index) =>
    parseRuleAt(rule, `rules[${index}]`, book),
  )
}

/** Parses the body that creates or replaces a rule. @throws INVALID_ARGUMENT with the member and the remedy */
export function parseRule(given: unknown): RuleDraft {
  return parseRuleAt(given, 'rule', new Map())
}

/** Parses the body that creates a policy. @throws INVALID_ARGUMENT with the member and the remedy */
export function parsePolicy(given: unknown): PolicyDraft {
  const members = membersOf(given, 'policy', [...POLICY, ...REQUEST])
  return {
    version: oneOf(members.version, ['1.0'], 'version'),
    name: nameOf(members.name, 'name'),
    chain_type: oneOf(members.chain_type, ['ethereum'], 'chain_type'),
    rules: parseRules(members.rules),
  }
}

/**
 * Parses the body that changes a policy. Omitted members keep their values. @throws INVALID_ARGUMENT as `parsePolicy`
 */
export function parsePolicyChange(given: unknown): Partial<Pick<PolicyDraft, 'name' | 'rules'>> {
  const members = membersOf(given, 'policy', [...POLICY, ...REQUEST])
  if (members.version !== undefined) oneOf(members.version, ['1.0'], 'version')
  if (members.chain_type !== undefined) oneOf(members.chain_type, ['ethereum'], 'chain_type')
  return {
    ...(members.name !== undefined && { name: nameOf(members.name, 'name') }),
    ...(members.rules !== undefined && { rules: parseRules(members.rules) }),
  }
}
