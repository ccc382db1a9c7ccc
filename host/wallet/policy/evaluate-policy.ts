import { messageOf } from '../../base/error.ts'
import type { Policy, Rule } from '../protocol/policy-shapes.ts'
import { type CompiledCondition, compileCondition } from './condition.ts'
import type {
  ConditionFinding,
  Decision,
  EvaluatePolicy,
  PolicyQuestion,
  RuleFinding,
  WindowCharge,
} from './decision.ts'
import type { AbiBook } from './field.ts'
import type { Context } from './reading.ts'
import { shown } from './rule-problem.ts'

interface CompiledRule {
  readonly policy: string
  readonly rule: Rule
  /** Or why the rule cannot be read: it allows nothing then, or denies everything of its method. */
  readonly conditions: readonly CompiledCondition[] | string
}

/** Policies whose ABIs and values have been read: made once, and judged by as often as something is signed. */
export interface CompiledPolicies {
  readonly rules: readonly CompiledRule[]
}

/** Throws nothing: `parsePolicy` has refused what cannot be compiled, and what is stored otherwise fails closed. */
export function compilePolicies(policies: readonly Policy[]): CompiledPolicies {
  const book: AbiBook = new Map()
  const rules = policies.flatMap((policy) =>
    policy.rules.map((rule) => ({ policy: policy.id, rule, conditions: compileRule(rule, book) })),
  )
  return { rules }
}

function compileRule(rule: Rule, book: AbiBook): readonly CompiledCondition[] | string {
  try {
    return rule.conditions.map((condition, index) =>
      compileCondition(condition, rule, `conditions[${index}]`, book),
    )
  } catch (thrown) {
    return messageOf(thrown)
  }
}

function judgeRule({ policy, rule, conditions }: CompiledRule, context: Context): RuleFinding {
  const { id, action } = rule
  if (typeof conditions === 'string') {
    const matches = action === 'DENY'
    const finding = { field: '', operator: '', expected: '', actual: undefined }
    return {
      policy,
      rule: id,
      action,
      matches,
      conditions: [
        { ...finding, problem: `the rule cannot be read: ${conditions}`, holds: matches },
      ],
    }
  }
  const findings = conditions.map((condition) => condition.judge(context))
  return {
    policy,
    rule: id,
    action,
    matches: findings.every(({ holds }) => holds),
    conditions: findings,
  }
}

function conditionText({
  field,
  operator,
  expected,
  actual,
  problem,
  holds,
}: ConditionFinding): string {
  if (problem !== undefined && actual === undefined)
    return field === '' ? problem : `${field}: ${problem}`
  const relation = `${field} ${shown(actual)} ${holds ? 'is' : 'is not'} ${operator} ${shown(expected)}`
  return problem === undefined ? relation : `${relation}, but ${problem}`
}

function nameOf({ rule }: CompiledRule): string {
  return `rule ${shown(rule.name)}`
}

/** Judges by policies that were compiled before. Total: what cannot be read is not allowed. */
export function judge(compiled: CompiledPolicies, question: PolicyQuestion): Decision {
  try {
    return judgeAll(compiled, question)
  } catch (thrown) {
    const reason = `the policies cannot be judged: ${messageOf(thrown)}`
    return { allowed: false, reason, rules: [], charges: [] }
  }
}

function judgeAll({ rules }: CompiledPolicies, question: PolicyQuestion): Decision {
  const { method } = question.action
  const context: Context = { question, decoded: new Map() }
  const judged = rules
    .filter(({ rule }) => rule.method === method || rule.method === '*')
    .map((compiled) => ({ compiled, finding: judgeRule(compiled, context) }))
  const findings = judged.map(({ finding }) => finding)
  const of = (action: Rule['action'], matches: boolean) =>
    judged.find(({ finding }) => finding.action === action && finding.matches === matches)
  const because = (reason: string, allowed = false, charges: readonly WindowCharge[] = []) => ({
    allowed,
    reason,
    rules: findings,
    charges,
  })

  const denied = of('DENY', true)
  if (denied !== undefined) {
    const why = denied.finding.conditions.map(conditionText).join(', ')
    return because(`denied by ${nameOf(denied.compiled)}${why === '' ? '' : `: ${why}`}`)
  }
  const allowed = of('ALLOW', true)
  if (allowed !== undefined) {
    const why = allowed.finding.conditions.map(conditionText).join(', ')
    return because(`allowed by ${nameOf(allowed.compiled)}${why === '' ? '' : `: ${why}`}`, true)
  }
  const missed = of('ALLOW', false)
  if (missed === undefined) return because(`no rule allows ${method}`)
  const failed = missed.finding.conditions.find(({ holds }) => !holds) as ConditionFinding
  return because(`no rule allows it, ${nameOf(missed.compiled)} does not: ${conditionText(failed)}`)
}

export const evaluatePolicy: EvaluatePolicy = (question) =>
  judge(compilePolicies(question.policies), question)
