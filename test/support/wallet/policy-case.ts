import { type Hex, parseData } from '../../../host/base/hex.ts'
import type { UnsignedTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import type { PolicyQuestion } from '../../../host/wallet/policy/decision.ts'
import { evaluatePolicy } from '../../../host/wallet/policy/evaluate-policy.ts'
import { parsePolicy } from '../../../host/wallet/policy/parse-policy.ts'
import type { SigningAction } from '../../../host/wallet/policy/signing-action.ts'
import type { ApiPolicy } from '../../../host/wallet/protocol/policy-shapes.ts'
import { PLAIN_FIELDS } from '../engine/unsigned-sender.ts'

export const WALLET: Hex = '0x1111111111111111111111111111111111111111'
export const ALICE: Hex = '0x00000000000000000000000000000000000a11ce'
export const MALLORY: Hex = '0x00000000000000000000000000000000bad0bad0'
export const TOKEN: Hex = '0x7070707070707070707070707070707070707070'

/** Returns a policy with rules in request format, with the ids r0, r1 and so on. */
export function policyOf(rules: readonly unknown[], id = 'p'): ApiPolicy {
  const draft = parsePolicy({ version: '1.0', name: id, chain_type: 'ethereum', rules })
  return {
    ...draft,
    id,
    owner_id: null,
    created_at: 0,
    rules: draft.rules.map((rule, index) => ({ ...rule, id: rule.id ?? `r${index}` })),
  }
}

export function transactionOf(members: Partial<UnsignedTransaction> = {}): UnsignedTransaction {
  return {
    ...PLAIN_FIELDS,
    type: 2,
    chainId: 1329n,
    nonce: 0n,
    maxPriorityFeePerGas: 1n,
    maxFeePerGas: 100n,
    gas: 21000n,
    to: parseData(ALICE),
    ...members,
  }
}

export function sendOf(members: Partial<UnsignedTransaction> = {}): SigningAction {
  return { method: 'eth_sendTransaction', transaction: transactionOf(members) }
}

/** Returns a call with hex calldata. */
export function callOf(
  to: Hex,
  data: Hex,
  members: Partial<UnsignedTransaction> = {},
): SigningAction {
  return sendOf({ to: parseData(to), data: parseData(data), ...members })
}

export function messageOf(text: string | Uint8Array): SigningAction {
  const message = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return { method: 'personal_sign', message }
}

export function questionOf(
  policies: readonly ApiPolicy[],
  action: SigningAction,
  members: Partial<PolicyQuestion> = {},
): PolicyQuestion {
  return {
    policies,
    action,
    wallet: parseData(WALLET),
    windows: { spent: () => 0n },
    now: 1_800_000_000,
    ...members,
  }
}

/** Returns the decision of one policy with these rules. */
export function decide(
  rules: readonly unknown[],
  action: SigningAction,
  members: Partial<PolicyQuestion> = {},
) {
  return evaluatePolicy(questionOf([policyOf(rules)], action, members))
}

/** Returns a rule of a policy, named after its effect. */
export const rule = (
  action: string,
  conditions: readonly unknown[] = [],
  method = '*',
  id?: string,
) => ({
  ...(id !== undefined && { id }),
  name: `${action} ${method}`,
  method,
  action,
  conditions,
})

/** Returns a condition of a rule. */
export const conditionOf = (
  source: string,
  field: string,
  operator: string,
  value: unknown,
  more: object = {},
) => ({
  field_source: source,
  field,
  operator,
  value,
  ...more,
})
