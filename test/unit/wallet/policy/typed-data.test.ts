import { describe, expect, test } from 'vitest'
import type {
  ActionTypedData,
  SigningAction,
} from '../../../../host/wallet/policy/signing-action.ts'
import {
  ALICE,
  conditionOf,
  decide,
  MALLORY,
  rule,
  TOKEN,
} from '../../../support/wallet/policy-case.ts'

const allowed = (rules: readonly unknown[], action: SigningAction) => decide(rules, action).allowed

describe('typed data under a policy', () => {
  const PERMIT = [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ]
  const types = { Permit: PERMIT }
  const permit: ActionTypedData = {
    domain: { name: 'T', version: '1', chainId: 1329, verifyingContract: TOKEN },
    types,
    primaryType: 'Permit',
    message: { owner: ALICE, spender: MALLORY, value: '100', nonce: 0, deadline: '0xffff' },
  }
  const sign = (changed: Partial<ActionTypedData> = {}): SigningAction => ({
    method: 'eth_signTypedData_v4',
    typedData: { ...permit, ...changed },
  })
  const message = (
    field: string,
    operator: string,
    value: unknown,
    typed: object = { types, primary_type: 'Permit' },
  ) => conditionOf('ethereum_typed_data_message', field, operator, value, { typed_data: typed })
  const domain = (field: string, operator: string, value: unknown) =>
    conditionOf('ethereum_typed_data_domain', field, operator, value)
  const cap = [rule('ALLOW', [message('value', 'lte', '100')], 'eth_signTypedData_v4')]
  const allBut = [rule('ALLOW'), rule('DENY', [message('value', 'gt', '100')])]
  const withValue = (value: unknown) => sign({ message: { ...permit.message, value } })

  test('is evaluated by the values of its message', () => {
    for (const value of ['100', '0x64', 100, 100n, '0x0064']) {
      expect(allowed(cap, withValue(value)), String(value)).toBe(true)
      expect(allowed(allBut, withValue(value)), String(value)).toBe(true)
    }
    for (const value of ['101', '0x65', 101]) {
      expect(allowed(cap, withValue(value)), String(value)).toBe(false)
      expect(allowed(allBut, withValue(value)), String(value)).toBe(false)
    }
  })

  test.each<readonly [unknown]>([
    [undefined],
    [null],
    [''],
    [' 5'],
    ['5 '],
    ['1e1'],
    ['-1'],
    ['0x'],
    ['0b1'],
    ['+5'],
    ['05'],
    [1.5],
    [2 ** 53],
    [Number.NaN],
    [true],
    [['5']],
    [{ toString: () => '5' }],
    [String(2n ** 256n)],
    ['5n'],
  ])('with the ambiguous value %j is refused', (value) => {
    expect(allowed(cap, withValue(value))).toBe(false)
    expect(allowed(allBut, withValue(value))).toBe(false)
  })

  test.each<readonly [string, Partial<ActionTypedData>]>([
    ['a member more', { types: { Permit: [...PERMIT, { name: 'x', type: 'bool' }] } }],
    ['a member less', { types: { Permit: PERMIT.slice(0, 3) } }],
    ['its members in another order', { types: { Permit: PERMIT.toReversed() } }],
    [
      'a member of another type',
      {
        types: {
          Permit: PERMIT.map((each) => ({
            ...each,
            type: each.name === 'value' ? 'uint128' : each.type,
          })),
        },
      },
    ],
    [
      'a name by another alias',
      {
        types: {
          Permit: PERMIT.map((each) => ({
            ...each,
            type: each.name === 'value' ? 'uint' : each.type,
          })),
        },
      },
    ],
    ['another primary type', { types: { Permit: PERMIT, Order: PERMIT }, primaryType: 'Order' }],
    [
      'the domain as what is signed',
      { types: { Permit: PERMIT, EIP712Domain: [] }, primaryType: 'EIP712Domain' },
    ],
    ['no types', { types: {} }],
    ['types that are none', { types: { Permit: null } as never }],
    ['a struct by the name of an elementary type', { types: { Permit: PERMIT, uint256: PERMIT } }],
    ['an inherited type', { types: Object.create({ Permit: PERMIT }) as ActionTypedData['types'] }],
  ])('with %s than in the rule is refused', (_, changed) => {
    expect(allowed(cap, sign(changed))).toBe(false)
    expect(allowed(allBut, sign(changed))).toBe(false)
  })

  test('with inherited members, or members of an unsigned type, is refused', () => {
    const inherited = Object.create(permit.message) as ActionTypedData['message']
    expect(allowed(cap, sign({ message: inherited }))).toBe(false)
    expect(allowed(cap, sign({ message: { Permit: permit.message } }))).toBe(false)
  })

  test('with structs in lists is evaluated for each of them', () => {
    const batch = {
      types: {
        Batch: [
          { name: 'details', type: 'Detail[]' },
          { name: 'by', type: 'address' },
        ],
        Detail: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint160' },
        ],
      },
      primaryType: 'Batch',
    }
    const signed = (amounts: readonly unknown[]) =>
      sign({
        ...batch,
        message: { by: ALICE, details: amounts.map((amount) => ({ token: TOKEN, amount })) },
      })
    const typed = { types: batch.types, primaryType: 'Batch' }
    const each = [rule('ALLOW', [message('details[*].amount', 'lte', '5', typed)])]
    const first = [
      rule('ALLOW', [
        message('details[0].token', 'eq', TOKEN.toUpperCase().replace('X', 'x'), typed),
      ]),
    ]
    expect(allowed(each, signed(['5', 4]))).toBe(true)
    expect(allowed(each, signed(['5', 6]))).toBe(false)
    expect(allowed(each, signed(['5', 'x']))).toBe(false)
    expect(allowed(each, signed([]))).toBe(false)
    expect(allowed(first, signed([9]))).toBe(true)
    expect(allowed(first, signed([]))).toBe(false)
  })

  describe('with a domain', () => {
    const contract = [rule('ALLOW', [domain('verifyingContract', 'eq', TOKEN)])]
    const chain = [rule('ALLOW', [domain('chainId', 'in', ['1329', '0x1'])])]
    const notHere = [rule('ALLOW'), rule('DENY', [domain('verifying_contract', 'eq', ALICE)])]
    const DOMAIN = [
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ]

    test('is evaluated by the fields that are hashed', () => {
      expect(allowed(contract, sign())).toBe(true)
      expect(allowed(chain, sign())).toBe(true)
      expect(allowed(notHere, sign())).toBe(true)
      expect(allowed(contract, sign({ types: { ...types, EIP712Domain: DOMAIN } }))).toBe(true)
      expect(
        allowed(contract, sign({ domain: { ...permit.domain, verifyingContract: ALICE } })),
      ).toBe(false)
      expect(allowed(chain, sign({ domain: { ...permit.domain, chainId: '2' } }))).toBe(false)
    })

    test.each<readonly [string, Partial<ActionTypedData>]>([
      ['it is not there', { domain: { name: 'T' } }],
      ['it is there and not hashed', { types: { ...types, EIP712Domain: DOMAIN.slice(0, 1) } }],
      [
        'it is hashed as another type',
        { types: { ...types, EIP712Domain: [{ name: 'verifyingContract', type: 'string' }] } },
      ],
      ['it is hashed twice', { types: { ...types, EIP712Domain: [...DOMAIN, ...DOMAIN] } }],
      ['it is no address', { domain: { ...permit.domain, verifyingContract: `${TOKEN}00` } }],
      ['it is inherited', { domain: Object.create(permit.domain) as ActionTypedData['domain'] }],
      ['the types of the domain are none', { types: { ...types, EIP712Domain: {} as never } }],
    ])('matches no contract if %s', (_, changed) => {
      expect(allowed(contract, sign(changed))).toBe(false)
      expect(allowed(notHere, sign(changed))).toBe(false)
    })
  })
})
