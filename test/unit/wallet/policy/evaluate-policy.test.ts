import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { evaluatePolicy } from '../../../../host/wallet/policy/evaluate-policy.ts'
import type { SigningAction } from '../../../../host/wallet/policy/signing-action.ts'
import type { ApiRule } from '../../../../host/wallet/protocol/policy-shapes.ts'
import {
  ALICE,
  conditionOf,
  decide,
  MALLORY,
  messageOf,
  policyOf,
  questionOf,
  rule,
  sendOf,
} from '../../../support/wallet/policy-case.ts'

const send = (
  action: string,
  conditions: readonly unknown[] = [],
  method = 'eth_sendTransaction',
) => rule(action, conditions, method)
const field = (name: string, operator: string, value: unknown) =>
  conditionOf('ethereum_transaction', name, operator, value)

describe('policies', () => {
  test('allow nothing without a rule that allows it', () => {
    expect(decide([], sendOf())).toEqual({
      allowed: false,
      reason: 'no rule allows eth_sendTransaction',
      rules: [],
      charges: [],
    })
    expect(decide([send('ALLOW', [], 'personal_sign')], sendOf()).allowed).toBe(false)
    expect(evaluatePolicy(questionOf([], sendOf())).allowed).toBe(false)
  })

  test('deny an action that one rule denies, whatever others allow and in any order', () => {
    const rules = [send('ALLOW', [], '*'), send('DENY', [field('to', 'eq', ALICE)])]
    for (const order of [rules, rules.toReversed()]) {
      const { allowed, reason } = decide(order, sendOf())
      expect(allowed).toBe(false)
      expect(reason).toBe(
        `denied by rule "DENY eth_sendTransaction": ethereum_transaction.to "${ALICE}" is eq "${ALICE}"`,
      )
      expect(decide(order, sendOf({ to: new Uint8Array(20) })).allowed).toBe(true)
    }
  })

  test('with only DENY rules block everything', () => {
    const rules = [send('DENY', [field('to', 'eq', MALLORY)])]
    expect(decide(rules, sendOf()).allowed).toBe(false)
    expect(decide(rules, messageOf('hello')).allowed).toBe(false)
  })

  test('of one wallet are evaluated as one set of rules', () => {
    const allow = policyOf([send('ALLOW')], 'one')
    const deny = policyOf([send('DENY', [field('value', 'gt', '10')])], 'two')
    const allowedWith = (policies: readonly (typeof allow)[], value: bigint) =>
      evaluatePolicy(questionOf(policies, sendOf({ value }))).allowed
    expect(allowedWith([allow, deny], 10n)).toBe(true)
    expect(allowedWith([allow, deny], 11n)).toBe(false)
    expect(allowedWith([deny, allow], 11n)).toBe(false)
    expect(allowedWith([deny], 10n)).toBe(false)
  })

  test('apply a rule only if all of its conditions hold', () => {
    const rules = [send('ALLOW', [field('to', 'eq', ALICE), field('value', 'lt', '5')])]
    expect(decide(rules, sendOf({ value: 4n })).allowed).toBe(true)
    expect(decide(rules, sendOf({ value: 5n })).allowed).toBe(false)
    expect(decide(rules, sendOf({ value: 4n, to: new Uint8Array(20) })).allowed).toBe(false)
  })

  test('report the values by which each rule decided', () => {
    const rules = [
      { id: 'small', ...send('ALLOW', [field('value', 'lte', '0x0a')]) },
      { id: 'message', ...send('ALLOW', [], 'personal_sign') },
    ]
    expect(decide(rules, sendOf({ value: 11n }))).toEqual({
      allowed: false,
      reason:
        'no rule allows it, rule "ALLOW eth_sendTransaction" does not: ethereum_transaction.value "11" is not lte "0x0a"',
      rules: [
        {
          policy: 'p',
          rule: 'small',
          action: 'ALLOW',
          matches: false,
          conditions: [
            {
              field: 'ethereum_transaction.value',
              operator: 'lte',
              expected: '0x0a',
              actual: '11',
              holds: false,
            },
          ],
        },
      ],
      charges: [],
    })
  })

  test('match method names exactly, and * matches each of them', () => {
    const actions: readonly SigningAction[] = [
      sendOf(),
      { ...sendOf(), method: 'eth_signTransaction' } as SigningAction,
      messageOf('x'),
      { method: 'secp256k1_sign', hash: new Uint8Array(32) },
      { method: 'exportPrivateKey' },
      {
        method: 'eth_sign7702Authorization',
        chainId: 1n,
        contract: new Uint8Array(20),
        nonce: 0n,
      },
      {
        method: 'eth_signTypedData_v4',
        typedData: { domain: {}, types: { A: [] }, primaryType: 'A', message: {} },
      },
    ]
    for (const rule of actions) {
      for (const action of actions) {
        const { allowed } = decide([send('ALLOW', [], rule.method)], action)
        expect(allowed, `${rule.method} and ${action.method}`).toBe(rule.method === action.method)
      }
      expect(decide([send('ALLOW', [], '*')], rule).allowed).toBe(true)
    }
  })

  test('that cannot be evaluated allow nothing and deny all of their method', () => {
    const broken = { ...policyOf([]), rules: [] }
    const rule = (action: ApiRule['action']): ApiRule => ({
      id: action,
      name: action,
      method: '*',
      action,
      conditions: [
        {
          field_source: 'ethereum_calldata',
          field: 'transfer.amount',
          operator: 'lt',
          value: '1',
        },
      ],
    })
    const allows: ApiRule = { ...rule('ALLOW'), id: 'all', conditions: [] }
    const decideBy = (rules: readonly ApiRule[]) =>
      evaluatePolicy(questionOf([{ ...broken, rules }], messageOf('x')))
    expect(decideBy([rule('ALLOW')]).allowed).toBe(false)
    expect(decideBy([allows]).allowed).toBe(true)
    expect(decideBy([allows, rule('DENY')]).reason).toMatch(
      /^denied by rule "DENY": the rule is unreadable: conditions\[0\]\.abi: /,
    )
  })

  test('match the address of a recipient in any letter case', () => {
    const mixed = `0x${'Ab'.repeat(20)}`
    const to = new Uint8Array(20).fill(0xab)
    const { allowed, rules } = decide([send('ALLOW', [field('to', 'in', [mixed])])], sendOf({ to }))
    expect(allowed).toBe(true)
    expect(rules[0]?.conditions[0]?.actual).toBe(formatData(to))
  })

  test('quote only the beginning of long values, however many conditions read them', () => {
    const data = new Uint8Array(100_000).fill(0xab)
    const rules = Array.from({ length: 100 }, () =>
      send('ALLOW', Array(20).fill(field('data', 'eq', '0x12'))),
    )
    const decision = decide(rules, sendOf({ data }))
    expect(decision.rules[99]?.conditions[19]?.actual).toBe(`0x${'ab'.repeat(99)}...`)
    expect(JSON.stringify(decision).length).toBeLessThan(1_000_000)
  })
})
