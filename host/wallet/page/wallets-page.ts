import { type Cell, htmlList, htmlPage, htmlTable } from '../../api/server/page-html.ts'
import type { ConditionFinding, RuleFinding } from '../policy/decision.ts'
import type { ApiCondition, ApiPolicy, ApiRule } from '../protocol/policy-shapes.ts'
import type { ApiWallet } from '../protocol/wallet.ts'
import type { RecordedDecision, WaitingApproval, WalletsSource } from './wallets-source.ts'

export const WALLETS_PAGE = '/_wallets'

/** Wallets, and policies, shown per app. */
const SHOWN = 50

/** Characters of a value shown with a decision; longer values are cut. */
const LONGEST_WHY = 600

interface AppView {
  readonly name: string
  readonly wallets: readonly ApiWallet[]
  readonly policies: readonly ApiPolicy[]
}

function time(at: number): string {
  return new Date(at).toISOString()
}

function valueText(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : `[${value.join(', ')}]`
}

function conditionText({ field_source, field, operator, value }: ApiCondition): string {
  return `${field_source}.${field} ${operator} ${valueText(value)}`
}

function ruleText({ action, method, name, conditions }: ApiRule): string {
  const all = conditions.map(conditionText).join(' and ')
  return `${action} ${method}${all === '' ? '' : ` where ${all}`} (${name})`
}

function findingText({ field, operator, expected, actual, problem, holds }: ConditionFinding) {
  const found = actual ?? problem ?? 'nothing'
  return `${field} ${operator} ${valueText(expected)}: ${holds ? 'holds' : 'does not hold'}, it is ${found}`
}

function rulesText(rules: readonly RuleFinding[]): string {
  const text = rules
    .map(({ rule, action, matches, conditions }) => {
      const why = conditions.map(findingText).join('; ')
      return `${action} ${rule} ${matches ? 'matches' : 'does not match'}${why === '' ? '' : ` (${why})`}`
    })
    .join('. ')
  return text.length > LONGEST_WHY ? `${text.slice(0, LONGEST_WHY)}...` : text
}

function ownerText({
  owner_id: owner,
  archived_at: archived,
  additional_signers,
}: ApiWallet): string {
  const signers = additional_signers.map(({ signer_id }) => signer_id)
  const parts = [owner ?? 'the app with its secret', ...signers]
  return archived === null ? parts.join(', ') : `archived ${time(archived)}`
}

async function balanceText(source: WalletsSource, appId: string, walletId: string) {
  try {
    const balances = await source.balances(appId, walletId)
    return balances.map(({ caip2, text }) => `${text} on ${caip2}`).join(', ')
  } catch {
    return 'unknown: a chain does not answer'
  }
}

async function walletRows(
  source: WalletsSource,
  appId: string,
  { name, wallets }: AppView,
): Promise<Cell[][]> {
  return Promise.all(
    wallets.map(async (wallet) => [
      { text: name },
      { text: wallet.display_name ?? '' },
      { text: wallet.id, kind: 'code' as const },
      { text: wallet.address, kind: 'code' as const },
      { text: await balanceText(source, appId, wallet.id), kind: 'number' as const },
      { text: wallet.policy_ids.join(', '), kind: 'code' as const },
      { text: ownerText(wallet), kind: 'code' as const },
    ]),
  )
}

function policyRow({ name: app }: AppView, policy: ApiPolicy): Cell[] {
  return [
    { text: app },
    { text: policy.name },
    { text: policy.id, kind: 'code' },
    { text: policy.rules.map(ruleText).join('. '), kind: 'prose' },
    { text: policy.owner_id ?? 'the app with its secret', kind: 'code' },
  ]
}

function decisionRow({ at, walletId, method, allowed, reason, rules }: RecordedDecision): Cell[] {
  return [
    { text: time(at) },
    { text: walletId, kind: 'code' },
    { text: method, kind: 'code' },
    { text: allowed ? 'signed' : 'refused' },
    { text: reason, kind: 'prose' },
    { text: rulesText(rules), kind: 'prose' },
  ]
}

function waitingRow({ since, until, request, missing }: WaitingApproval): Cell[] {
  return [
    { text: time(since) },
    { text: request, kind: 'code' },
    { text: missing, kind: 'prose' },
    { text: time(until) },
  ]
}

/** Renders the wallets page as HTML without scripts. The page is read-only. */
export async function renderWallets(source: WalletsSource): Promise<string> {
  const wallets: Cell[][] = []
  const policies: Cell[][] = []
  for (const { id, name } of source.apps()) {
    const view = {
      name: name ?? id,
      wallets: await source.wallets(id, SHOWN),
      policies: await source.policies(id, SHOWN),
    }
    wallets.push(...(await walletRows(source, id, view)))
    policies.push(...view.policies.map((policy) => policyRow(view, policy)))
  }
  return htmlPage('Wallets', [
    htmlList([
      ['As of', time(Date.now())],
      ['Shown', `the latest ${SHOWN} wallets and policies of each app`],
      ['Decisions', 'since the API was started; the audit log of the signer has all of them'],
    ]),
    htmlTable(
      'wallets',
      'Wallets',
      [
        ['App'],
        ['Name'],
        ['Id'],
        ['Address'],
        ['Balance', 'number'],
        ['Policies'],
        ['Who may sign'],
      ],
      wallets,
    ),
    htmlTable(
      'waiting',
      'Requests waiting for more approvals of a quorum',
      [['Since'], ['Request'], ['Signatures'], ['Until']],
      source.waiting().map(waitingRow),
    ),
    htmlTable(
      'decisions',
      'Last decisions',
      [['Time'], ['Wallet'], ['Method'], ['Outcome'], ['Why'], ['Rules']],
      source.decisions().map(decisionRow),
    ),
    htmlTable('policies', 'Policies', [['App'], ['Name'], ['Id'], ['Rules'], ['Owner']], policies),
  ])
}
