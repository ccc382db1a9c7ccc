import {
  parsePolicy,
  parsePolicyChange,
  parseRule,
  type RuleDraft,
} from '../policy/parse-policy.ts'
import { AGENT_PREFIX } from '../protocol/agent.ts'
import type { ApiPolicy, ApiRule } from '../protocol/policy-shapes.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { controlAuthority, type GrantedAuthority } from './authority.ts'
import { invalidBody } from './body.ts'
import { freshId } from './fresh-id.ts'
import { pageAnswer, readPage } from './page.ts'
import { readOwner } from './quorum-commands.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { SignerStore } from './signer-store.ts'

const MOST_RULES = 100

export function policyOf(store: SignerStore, appId: string, id: string): ApiPolicy {
  const found = store.policy(id)
  if (found?.appId !== appId) throw new WalletError('not_found', `there is no policy ${id}`)
  return found.policy
}

export function createPolicy(parts: SignerParts, { appId, read, now }: Command): ApiPolicy {
  const { body } = read
  const owner = readOwner(parts.store, appId, body, now)
  const draft = parsePolicy(body)
  const policy: ApiPolicy = {
    id: freshId(),
    ...draft,
    rules: numbered(draft.rules, []),
    owner_id: owner?.ownerId ?? null,
    created_at: now,
  }
  if (owner?.made !== undefined) parts.store.putQuorum(appId, owner.made)
  parts.store.putPolicy(appId, policy)
  parts.audit({ kind: 'policy.created', appId, subject: policy.id, details: { policy } })
  return policy
}

export function getPolicy(parts: SignerParts, { appId, read }: Command): ApiPolicy {
  return policyOf(parts.store, appId, read.id)
}

export function listPolicies(parts: SignerParts, { appId, read }: Command): unknown {
  const page = readPage(read.query)
  return pageAnswer(parts.store.listPolicies(appId, { ...page, limit: page.limit + 1 }), page.limit)
}

export function policyAuthority(parts: SignerParts, { appId, read }: Command): GrantedAuthority {
  const policy = policyOf(parts.store, appId, read.id)
  return controlAuthority(parts, read, policy.owner_id)
}

export function updatePolicy(parts: SignerParts, command: Command): ApiPolicy {
  const { appId, read, now } = command
  const policy = policyOf(parts.store, appId, read.id)
  const { rules, ...draft } = parsePolicyChange(read.body)
  const owner = readOwner(parts.store, appId, read.body, now)
  const updated: ApiPolicy = {
    ...policy,
    ...draft,
    ...(rules === undefined ? {} : { rules: numbered(rules, policy.rules) }),
    ...(owner === undefined ? {} : { owner_id: owner.ownerId }),
  }
  if (owner?.made !== undefined) parts.store.putQuorum(appId, owner.made)
  return changed(parts, command, policy, updated)
}

export function deletePolicy(parts: SignerParts, { appId, read }: Command): unknown {
  const policy = policyOf(parts.store, appId, read.id)
  const user = parts.store.userOf(policy.id)
  // Without its last policy a wallet would sign everything: that must be requested on the wallet.
  if (user !== undefined) {
    throw new WalletError(
      'in_use',
      `the policy ${policy.id} is in use by ${user.startsWith(AGENT_PREFIX) ? 'the agent' : 'the wallet'} ${user}`,
    )
  }
  parts.store.deletePolicy(policy.id)
  parts.audit({ kind: 'policy.deleted', appId, subject: policy.id, details: { policy } })
  return { success: true }
}

export function createRule(parts: SignerParts, command: Command): ApiRule {
  const policy = policyOf(parts.store, command.appId, command.read.id)
  const [rule] = numbered([parseRule(command.read.body)], []) as readonly [ApiRule]
  if (policy.rules.length >= MOST_RULES)
    throw invalidBody(`a policy has at most ${MOST_RULES} rules`)
  changed(parts, command, policy, { ...policy, rules: [...policy.rules, rule] })
  return rule
}

export function getRule(parts: SignerParts, { appId, read }: Command): ApiRule {
  return ruleOf(policyOf(parts.store, appId, read.id), read.inner)
}

export function updateRule(parts: SignerParts, command: Command): ApiRule {
  const { id, inner } = command.read
  const policy = policyOf(parts.store, command.appId, id)
  const before = ruleOf(policy, inner)
  const rule: ApiRule = { ...parseRule(command.read.body), id: before.id }
  const rules = policy.rules.map((other) => (other.id === rule.id ? rule : other))
  changed(parts, command, policy, { ...policy, rules })
  return rule
}

export function deleteRule(parts: SignerParts, command: Command): unknown {
  const { id, inner } = command.read
  const policy = policyOf(parts.store, command.appId, id)
  const rule = ruleOf(policy, inner)
  const rules = policy.rules.filter((other) => other !== rule)
  changed(parts, command, policy, { ...policy, rules })
  return { success: true }
}

function changed(
  parts: SignerParts,
  { appId }: Command,
  before: ApiPolicy,
  after: ApiPolicy,
): ApiPolicy {
  parts.store.putPolicy(appId, after)
  parts.audit({ kind: 'policy.updated', appId, subject: after.id, details: { before, after } })
  return after
}

function ruleOf(policy: ApiPolicy, id: string): ApiRule {
  const rule = policy.rules.find((other) => other.id === id)
  if (rule === undefined) throw new WalletError('not_found', `the policy has no rule ${id}`)
  return rule
}

/**
 * Assigns ids to rules. Windows are charged by rule id, so a rule with the id or name of a previous one keeps its
 * charges.
 */
function numbered(drafts: readonly RuleDraft[], before: readonly ApiRule[]): readonly ApiRule[] {
  const left = [...before]
  const take = (fits: (rule: ApiRule) => boolean): string | undefined => {
    const at = left.findIndex(fits)
    return at < 0 ? undefined : left.splice(at, 1)[0]?.id
  }
  const kept = drafts.map(({ id }) =>
    id === undefined ? undefined : take((rule) => rule.id === id),
  )
  return drafts.map((draft, at) => ({
    ...draft,
    id: kept[at] ?? take(({ name }) => name === draft.name) ?? freshId(),
  }))
}
