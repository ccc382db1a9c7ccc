import { LockstepError } from '../../base/error.ts'
import type { ApiPolicy, ApiRule } from '../protocol/policy-shapes.ts'
import { type CompiledCondition, compilePolicyCondition } from './condition.ts'
import type {
  ConditionFinding,
  Decision,
  EvaluatePolicy,
  OpenPart,
  PolicyQuestion,
  RuleFinding,
  WindowCharge,
} from './decision.ts'
import type { ParsedAbis } from './field.ts'
import { type Context, MOST_COMPARED } from './reading.ts'
import { shown } from './rule-problem.ts'

interface CompiledRule {
  readonly policy: string
  readonly rule: ApiRule
  /** The conditions, or why the rule is unreadable. Such a rule allows nothing, or denies everything of its method. */
  readonly conditions: readonly CompiledCondition[] | string
}

/** Policies with parsed ABIs and values: compiled once, evaluated for every signature. */
export interface CompiledPolicies {
  readonly rules: readonly CompiledRule[]
}

/** Never throws. `parsePolicy` rejects what cannot be compiled; anything else in the store fails closed. */
export function compilePolicies(policies: readonly ApiPolicy[]): CompiledPolicies {
  const book: ParsedAbis = new Map()
  const rules = policies.flatMap((policy) =>
    policy.rules.map((rule) => ({ policy: policy.id, rule, conditions: compileRule(rule, book) })),
  )
  return { rules }
}

function compileRule(rule: ApiRule, book: ParsedAbis): readonly CompiledCondition[] | string {
  try {
    return rule.conditions.map((condition, index) =>
      compilePolicyCondition(condition, rule, `conditions[${index}]`, book),
    )
  } catch (thrown) {
    return toldOf(thrown)
  }
}

/** Hides messages of the JavaScript engine from callers. */
function toldOf(thrown: unknown): string {
  return thrown instanceof LockstepError ? thrown.message : 'an internal error of the signer'
}

interface JudgedRule {
  readonly compiled: CompiledRule
  readonly finding: RuleFinding
  /** Charged if the rule allows the action, or, for a DENY rule, if another rule allows it. */
  readonly charges: readonly WindowCharge[]
}

function judgeRule(compiled: CompiledRule, context: Context): JudgedRule {
  const { policy, rule, conditions } = compiled
  const { id, action } = rule
  const shape = { policy, rule: id, action }
  if (typeof conditions === 'string') {
    const holds = action === 'DENY'
    const problem = `the rule is unreadable: ${conditions}`
    const finding = { field: '', operator: '', expected: '', actual: undefined, problem, holds }
    return { compiled, finding: { ...shape, matches: holds, conditions: [finding] }, charges: [] }
  }
  const judged = conditions.map((condition) => condition.judge(context))
  const findings = judged.map(({ finding }) => finding)
  const concerns = judged.every(({ finding }, at) => conditions[at]?.isWindow || finding.holds)
  const charges = new Map(
    judged.flatMap(({ charge }) =>
      charge === undefined ? [] : [[charge.window, charge] as const],
    ),
  )
  return {
    compiled,
    finding: { ...shape, matches: findings.every(({ holds }) => holds), conditions: findings },
    charges: concerns ? [...charges.values()] : [],
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

function reasonOf({ compiled, finding }: JudgedRule): string {
  const why = finding.conditions.map(conditionText).join(', ')
  return why === '' ? nameOf(compiled) : `${nameOf(compiled)}: ${why}`
}

/** Evaluates compiled policies. Never throws: what cannot be read is not allowed. */
export function evaluateCompiled(compiled: CompiledPolicies, question: PolicyQuestion): Decision {
  try {
    return judgeAll(compiled, question)
  } catch (thrown) {
    const reason = `the policies cannot be evaluated: ${toldOf(thrown)}`
    return { allowed: false, reason, rules: [], charges: [] }
  }
}

function judgeAll({ rules }: CompiledPolicies, question: PolicyQuestion): Decision {
  const { method } = question.action
  const context: Context = { question, decoded: new Map(), work: { left: MOST_COMPARED } }
  const judged = rules
    .filter(({ rule }) => rule.method === method || rule.method === '*')
    .map((compiled) => judgeRule(compiled, context))
  const of = (action: ApiRule['action']) =>
    judged.filter(({ finding }) => finding.action === action)
  const decide = (reason: string, charges?: readonly WindowCharge[]): Decision => ({
    allowed: charges !== undefined,
    reason,
    rules: judged.map(({ finding }) =>
      charges === undefined ? withoutSimulated(finding) : finding,
    ),
    charges: charges ?? [],
  })

  const denying = of('DENY')
  const denied = denying.find(({ finding }) => finding.matches)
  if (denied !== undefined) {
    const told = { ...denied, finding: withoutSimulated(denied.finding) }
    return decide(`denied by ${reasonOf(told)}`)
  }
  const allowing = of('ALLOW')
  const dependsOn = openPartsOf(denying, allowing)
  if (dependsOn.length > 0) {
    return { ...decide(`depends on parts that are still open: ${dependsOn.join(', ')}`), dependsOn }
  }
  const allows = allowing.filter(({ finding }) => finding.matches)
  // A rule that charges no window goes before one that would use up its window.
  const allowed = allows.find(({ charges }) => charges.length === 0) ?? allows[0]
  if (allowed !== undefined) {
    const charges = [...allowed.charges, ...denying.flatMap((rule) => rule.charges)]
    return decide(`allowed by ${reasonOf(allowed)}`, charges)
  }
  const [missed] = allowing
  if (missed === undefined) return decide(`no rule allows ${method}`)
  const failing = missed.finding.conditions.filter(({ holds }) => !holds)
  const failed = failing.find(({ open }) => open === undefined) ?? (failing[0] as ConditionFinding)
  const told = conditionText(conditionWithoutTried(failed))
  return decide(`no rule allows it, ${nameOf(missed.compiled)} does not: ${told}`)
}

/** Returns the open parts that can still change the decision: of DENY rules, and of ALLOW rules if none matches yet. */
function openPartsOf(
  denying: readonly JudgedRule[],
  allowing: readonly JudgedRule[],
): readonly OpenPart[] {
  const mayMatch = ({ finding: { matches, conditions } }: JudgedRule) =>
    !matches && conditions.every(({ holds, open }) => holds || open !== undefined)
  const isAllowed = allowing.some(({ finding }) => finding.matches)
  const isAllowable = isAllowed || allowing.some(mayMatch)
  const turning = isAllowable ? denying.filter(mayMatch) : []
  const needed = isAllowed ? turning : [...turning, ...allowing.filter(mayMatch)]
  const parts = needed.flatMap(({ finding }) =>
    finding.conditions.flatMap(({ open }) => open ?? []),
  )
  return [...new Set(parts)]
}

/** Removes everything a run of the transaction revealed: a denied caller must not learn it. */
export function withoutSimulated(finding: RuleFinding): RuleFinding {
  return { ...finding, conditions: finding.conditions.map(conditionWithoutTried) }
}

function conditionWithoutTried(finding: ConditionFinding): ConditionFinding {
  if (finding.isTried !== true) return finding
  const { field, operator, expected } = finding
  const problem = 'a run of the transaction does not meet it; its result is not disclosed'
  return { field, operator, expected, actual: undefined, problem, holds: false }
}

export const evaluatePolicy: EvaluatePolicy = (question) =>
  evaluateCompiled(compilePolicies(question.policies), question)
