import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { parseFixedData } from '../../base/hex.ts'
import type { ConditionFinding, Decision, RuleFinding } from '../../wallet/policy/decision.ts'
import { compilePolicies, evaluateCompiled } from '../../wallet/policy/evaluate-policy.ts'
import { parsePolicy } from '../../wallet/policy/parse-policy.ts'
import type { SigningAction } from '../../wallet/policy/signing-action.ts'
import type { ApiPolicy } from '../../wallet/protocol/policy-shapes.ts'
import { readHexBytes } from '../option/bytes-argument.ts'
import { readAction, readRawTransaction } from './tested-action.ts'

interface TestFlags {
  readonly wallet: string
  readonly spent: string
  readonly at?: string
  readonly json?: true
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (thrown) {
    throw new LockstepError('INVALID_ARGUMENT', `${name}: ${path} cannot be read`, {
      hint: 'pass the path of a file, or - for standard input',
      cause: thrown,
    })
  }
}

function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new LockstepError('INVALID_ARGUMENT', `${name} is not JSON`, {
      hint: 'pass JSON in the form of the API',
      cause: thrown,
    })
  }
}

/** Reads one policy or several, in the form of API requests or responses. */
function policiesOf(path: string): readonly ApiPolicy[] {
  const json = readJson(readText(path, '<policy>'), '<policy>')
  return (Array.isArray(json) ? json : [json]).map((each, at) => {
    const draft = parsePolicy(each)
    const { id } = each as { id?: unknown }
    return {
      ...draft,
      id: typeof id === 'string' ? id : `policy ${at + 1}`,
      owner_id: null,
      created_at: 0,
      rules: draft.rules.map((rule, index) => ({ ...rule, id: rule.id ?? `rule ${index + 1}` })),
    }
  })
}

/** Reads a file with a request body or a transaction in hex; or that hex itself. */
function actionOf(argument: string, wallet: Uint8Array): SigningAction {
  const isHex = /^0x[0-9a-f]+$/i.test(argument)
  const text = isHex ? argument : readText(argument, '<action>').trim()
  const raw = readHexBytes(text)
  if (raw === undefined) return readAction(readJson(text, '<action>'), wallet)
  return readRawTransaction(raw)
}

function integerOf(text: string, flag: string): bigint {
  if (/^[0-9]{1,78}$/.test(text)) return BigInt(text)
  throw new LockstepError('INVALID_ARGUMENT', `${flag}: "${text}" is not an integer`, {
    hint: 'write it in decimal digits',
  })
}

function conditionLine({
  field,
  operator,
  expected,
  actual,
  problem,
  holds,
}: ConditionFinding): string {
  const value = typeof expected === 'string' ? expected : expected.join(', ')
  const seen = [actual, problem].filter((each) => each !== undefined).join('; ')
  return `    ${holds ? 'yes' : 'no '}  ${field} ${operator} ${value}  (${seen})\n`
}

function ruleText({ policy, rule, action, matches, conditions }: RuleFinding): string {
  const head = `  ${matches ? 'matches' : 'does not match'}: ${action} ${rule} of ${policy}\n`
  return head + conditions.map(conditionLine).join('')
}

function toText({ allowed, reason, rules, charges }: Decision): string {
  const charged = charges.map(({ window, amount }) => `  charges ${window} with ${amount}\n`)
  return `${allowed ? 'allowed' : 'denied'}: ${reason}\n${rules.map(ruleText).join('')}${charged.join('')}`
}

function toJson({ charges, ...decision }: Decision): string {
  const plain = charges.map(({ window, amount }) => ({ window, amount: String(amount) }))
  return `${JSON.stringify({ ...decision, charges: plain })}\n`
}

export function definePolicyTest(command: Command): void {
  command
    .argument('<policy>', 'file with a policy or an array of them, in JSON; - is standard input')
    .argument(
      '<action>',
      'file with the body of a signing request, or a transaction in hex, unsigned or signed',
    )
    .option('--wallet <ADDRESS>', 'address of the wallet', `0x${'0'.repeat(40)}`)
    .option('--spent <AMOUNT>', 'what has already been spent in each spending window', '0')
    .option('--at <SECONDS>', 'evaluation time in seconds since 1970 (default: now)')
    .option('--json', 'print the decision as an object')
    .action((policyPath: string, action: string, flags: TestFlags) => {
      const wallet = parseFixedData(flags.wallet, 20)
      const spent = integerOf(flags.spent, '--spent')
      const policies = policiesOf(policyPath)
      const decision = evaluateCompiled(compilePolicies(policies), {
        policies,
        action: actionOf(action, wallet),
        wallet,
        windows: { spent: () => spent },
        now:
          flags.at === undefined
            ? Math.floor(Date.now() / 1000)
            : Number(integerOf(flags.at, '--at')),
      })
      process.stdout.write(flags.json === true ? toJson(decision) : toText(decision))
      if (!decision.allowed)
        throw new LockstepError('POLICY_DENIES', 'the policy denies the action')
    })
}
