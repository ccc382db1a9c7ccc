import type { Decision } from '../policy/decision.ts'
import { evaluateCompiled } from '../policy/evaluate-policy.ts'
import type { Prepared } from './prepared-signature.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { StoredWallet } from './signer-store.ts'

/** Evaluates the wallet's policies and that of the agent. Both must allow the action. */
export function decideForCaller(
  parts: SignerParts,
  command: Command,
  stored: StoredWallet,
  policyIds: readonly string[],
  prepared: Pick<Prepared, 'action' | 'slot' | 'isGasTried'>,
): Decision {
  const byWallet = decide(parts, command, stored, policyIds, prepared)
  const policyId = command.agent?.policyId ?? null
  if (policyId === null || isDenied(byWallet)) return byWallet
  const byAgent = decide(parts, command, stored, [policyId], prepared)
  const rules = [...byWallet.rules, ...byAgent.rules]
  if (isDenied(byAgent)) {
    return { allowed: false, reason: `the agent's policy: ${byAgent.reason}`, rules, charges: [] }
  }
  const dependsOn = [...new Set([byWallet, byAgent].flatMap((each) => each.dependsOn ?? []))]
  if (dependsOn.length > 0) {
    const reason = `depends on parts that are still open: ${dependsOn.join(', ')}`
    return { allowed: false, dependsOn, reason, rules, charges: [] }
  }
  // Both may have the same rule: it is charged once.
  const charged = new Map(
    [...byWallet.charges, ...byAgent.charges].map((charge) => [charge.window, charge]),
  )
  return { allowed: true, reason: byWallet.reason, rules, charges: [...charged.values()] }
}

function isDenied({ allowed, dependsOn }: Decision): boolean {
  return !allowed && dependsOn === undefined
}

/** Evaluates policies for an action. */
export function decide(
  parts: SignerParts,
  { now, filled, open }: Command,
  { wallet, address }: StoredWallet,
  policyIds: readonly string[],
  { action, slot, isGasTried }: Pick<Prepared, 'action' | 'slot' | 'isGasTried'>,
): Decision {
  if (policyIds.length === 0) {
    const allowed = !parts.requirePolicy
    const reason = allowed
      ? 'the wallet has no policy'
      : 'the wallet has no policy, and this service signs nothing without one: attach a policy'
    return { allowed, reason, rules: [], charges: [] }
  }
  const seconds = Math.floor(now / 1000)
  const windows = parts.charges.reads(wallet.id, slot, seconds)
  const { policies, compiled } = parts.store.policies(policyIds)
  return evaluateCompiled(compiled, {
    policies,
    action,
    wallet: address,
    windows,
    now: seconds,
    ...(filled?.simulation !== undefined && { simulation: filled.simulation }),
    ...(open !== undefined && { open }),
    ...(isGasTried === true && { isGasTried }),
  })
}
