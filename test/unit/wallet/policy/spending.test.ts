import { encodeFunctionData, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Hex, parseData } from '../../../../host/base/hex.ts'
import type {
  ActionTypedData,
  SigningAction,
} from '../../../../host/wallet/policy/signing-action.ts'
import {
  ALICE,
  callOf,
  decide,
  MALLORY,
  messageOf,
  rule,
  sendOf,
  TOKEN,
  transactionOf,
  WALLET,
} from '../../../support/wallet/policy-case.ts'

const DAY = 86400
const PERMIT2: Hex = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const MAX = (1n << 256n) - 1n

const upTo = (asset: string, limit: bigint | string, period = DAY) => ({
  field_source: 'spending_window',
  field: asset,
  operator: 'lte',
  value: String(limit),
  period,
})
const above = (asset: string, limit: bigint) => ({ ...upTo(asset, limit), operator: 'gt' })
/** Returns windows with these amounts spent. */
const spent = (amounts: Readonly<Record<string, bigint>>) => ({
  windows: { spent: (window: string, period: number) => amounts[`${window} in ${period}`] ?? 0n },
})

const ERC20 = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function increaseAllowance(address spender, uint256 addedValue)',
  'function decreaseAllowance(address spender, uint256 subtractedValue)',
  'function burn(uint256 amount)',
  'function multicall(bytes[] data)',
])
type Name = (typeof ERC20)[number]['name']
const token = (functionName: Name, args: readonly unknown[], to = TOKEN) =>
  callOf(to, encodeFunctionData({ abi: ERC20, functionName, args: args as never }))

describe('a spending window', () => {
  const rules = [rule('ALLOW', [upTo('native', 10n)])]

  test('allows an amount within its limit, including earlier spending, and charges it', () => {
    const used = spent({ 'r0/native/eip155:1329 in 86400': 6n })
    expect(decide(rules, sendOf({ value: 10n }))).toMatchObject({
      allowed: true,
      charges: [{ window: 'r0/native/eip155:1329', amount: 10n }],
    })
    expect(decide(rules, sendOf({ value: 11n }))).toMatchObject({ allowed: false, charges: [] })
    expect(decide(rules, sendOf({ value: 4n }), used).allowed).toBe(true)
    const { allowed, reason, charges } = decide(rules, sendOf({ value: 5n }), used)
    expect(allowed).toBe(false)
    expect(charges).toEqual([])
    expect(reason).toBe(
      'no rule allows it, rule "ALLOW *" does not: spending_window.native "11" is not lte "10"',
    )
  })

  test('is queried for its own period and chain only', () => {
    const used = spent({ 'r0/native/eip155:1329 in 3600': 10n, 'r0/native/eip155:1 in 86400': 10n })
    expect(decide(rules, sendOf({ value: 10n }), used).allowed).toBe(true)
    expect(decide(rules, sendOf({ value: 1n, chainId: 1n }), used).allowed).toBe(false)
  })

  test('with two periods enforces both and is charged once', () => {
    const both = [rule('ALLOW', [upTo('native', 10n, 3600), upTo('native', 15n)])]
    expect(decide(both, sendOf({ value: 10n })).charges).toEqual([
      { window: 'r0/native/eip155:1329', amount: 10n },
    ])
    const used = spent({ 'r0/native/eip155:1329 in 86400': 6n })
    expect(decide(both, sendOf({ value: 10n }), used).allowed).toBe(false)
  })

  test('that is used up allows actions that spend nothing', () => {
    const used = { windows: { spent: () => 1000n } }
    expect(decide(rules, sendOf(), used)).toMatchObject({ allowed: true, charges: [] })
    expect(decide(rules, messageOf('hello'), used)).toMatchObject({ allowed: true, charges: [] })
  })

  test('counts the gas if configured', () => {
    const withFee = [rule('ALLOW', [upTo('native_with_fee', 2_100_005n)])]
    expect(decide(withFee, sendOf({ value: 5n })).charges).toEqual([
      { window: 'r0/native_with_fee/eip155:1329', amount: 2_100_005n },
    ])
    expect(decide(withFee, sendOf({ value: 6n })).allowed).toBe(false)
    expect(decide(withFee, sendOf({ maxFeePerGas: 101n })).allowed).toBe(false)
  })

  test('does not allow a transaction that is valid on every chain', () => {
    const action = sendOf({ type: 0, chainId: undefined, value: 1n })
    expect(decide(rules, action).reason).toMatch(/: the transaction is not bound to a chain$/)
    expect(decide([rule('ALLOW', []), rule('DENY', [above('native', 10n)])], action).allowed).toBe(
      false,
    )
  })

  test.each<SigningAction>([
    { method: 'secp256k1_sign', hash: new Uint8Array(32) },
    { method: 'exportPrivateKey' },
    { method: 'eth_sign7702Authorization', chainId: 1n, contract: new Uint8Array(20), nonce: 0n },
    callOf(WALLET, '0x12345678'),
  ])('does not allow a method that may spend anything: $method', (action) => {
    expect(decide(rules, action).allowed).toBe(false)
    expect(decide([rule('ALLOW', []), rule('DENY', [above('native', 10n)])], action).allowed).toBe(
      false,
    )
  })
})

describe('the charged window', () => {
  test('is that of the deciding rule: one without a window before one with', () => {
    const free = { field_source: 'ethereum_transaction', field: 'to', operator: 'eq', value: ALICE }
    const rules = [
      rule('ALLOW', [upTo('native', 10n)], '*', 'capped'),
      rule('ALLOW', [free], '*', 'free'),
    ]
    expect(decide(rules, sendOf({ value: 5n }))).toMatchObject({
      reason: expect.stringContaining('ethereum_transaction.to'),
      charges: [],
    })
    const to = parseData(MALLORY)
    expect(decide(rules, sendOf({ value: 5n, to })).charges).toEqual([
      { window: 'capped/native/eip155:1329', amount: 5n },
    ])
  })

  test('is that of each matching DENY rule too, whatever rule allows', () => {
    const rules = [
      rule('ALLOW', [], '*', 'all'),
      rule('DENY', [above('native', 10n)], '*', 'cap'),
      rule(
        'DENY',
        [
          above('native', 10n),
          { field_source: 'ethereum_transaction', field: 'to', operator: 'eq', value: MALLORY },
        ],
        '*',
        'other',
      ),
    ]
    expect(decide(rules, sendOf({ value: 10n }))).toMatchObject({
      allowed: true,
      charges: [{ window: 'cap/native/eip155:1329', amount: 10n }],
    })
    const used = spent({ 'cap/native/eip155:1329 in 86400': 1n })
    expect(decide(rules, sendOf({ value: 10n }), used)).toMatchObject({
      allowed: false,
      charges: [],
    })
  })
})

describe('a token spending window', () => {
  const rules = [rule('ALLOW', [upTo(TOKEN, 100n)])]
  const amountOf = (action: SigningAction) => {
    const { allowed, charges } = decide(rules, action)
    return allowed ? (charges[0]?.amount ?? 0n) : 'denied'
  }

  test.each<readonly [string, SigningAction, bigint | 'denied']>([
    ['a transfer', token('transfer', [ALICE, 100n]), 100n],
    ['a transfer of more', token('transfer', [ALICE, 101n]), 'denied'],
    [
      'a transfer of its own tokens by transferFrom',
      token('transferFrom', [WALLET, ALICE, 7n]),
      7n,
    ],
    ["a transfer of another's tokens", token('transferFrom', [MALLORY, ALICE, MAX]), 0n],
    ['an allowance', token('approve', [MALLORY, 100n]), 100n],
    ['an allowance without end', token('approve', [MALLORY, MAX]), 'denied'],
    ['more allowance', token('increaseAllowance', [MALLORY, 101n]), 'denied'],
    ['less allowance', token('decreaseAllowance', [MALLORY, MAX]), 0n],
    ['a method that is not known', token('burn', [1n]), 'denied'],
    ['calls in a call', token('multicall', [['0xa9059cbb']]), 'denied'],
    ['calldata with bytes behind', callOf(TOKEN, `0xa9059cbb${'0'.repeat(130)}`), 'denied'],
    ['value sent to the token', callOf(TOKEN, '0x', { value: 5n }), 0n],
    ['a call of another token', token('transfer', [ALICE, MAX], ALICE), 0n],
    ['the deployment of a contract', sendOf({ to: undefined, data: parseData('0x6001') }), 0n],
    ['a message', messageOf('hello'), 0n],
  ])('counts %s', (_, action, amount) => {
    expect(amountOf(action)).toBe(amount)
  })

  const PERMIT = [
    'owner:address',
    'spender:address',
    'value:uint256',
    'nonce:uint256',
    'deadline:uint256',
  ]
  const DAI = [
    'holder:address',
    'spender:address',
    'nonce:uint256',
    'expiry:uint256',
    'allowed:bool',
  ]
  const EIP3009 = [
    'from:address',
    'to:address',
    'value:uint256',
    'validAfter:uint256',
    'validBefore:uint256',
    'nonce:bytes32',
  ]
  const struct = (members: readonly string[]) =>
    members.map((member) => {
      const [name = '', type = ''] = member.split(':')
      return { name, type }
    })
  const typed = (
    primaryType: string,
    types: Readonly<Record<string, readonly string[]>>,
    message: ActionTypedData['message'],
    domain: ActionTypedData['domain'] = { chainId: 1329, verifyingContract: TOKEN },
  ): SigningAction => ({
    method: 'eth_signTypedData_v4',
    typedData: {
      primaryType,
      types: Object.fromEntries(Object.entries(types).map(([name, of]) => [name, struct(of)])),
      message,
      domain,
    },
  })
  const permit2 = (primaryType: string, list: string, isMany: boolean, amounts: unknown) =>
    typed(
      primaryType,
      {
        [primaryType]: [`${list}:Item${isMany ? '[]' : ''}`, 'spender:address'],
        Item: ['token:address', 'amount:uint160'],
      },
      { [list]: amounts, spender: MALLORY },
      { name: 'Permit2', chainId: '0x531', verifyingContract: PERMIT2 },
    )
  const item = (amount: unknown, address = TOKEN) => ({ token: address, amount })

  test.each<readonly [string, SigningAction, bigint | 'denied']>([
    ['a permit', typed('Permit', { Permit: PERMIT }, { value: '0x64' }), 100n],
    ['a permit of more', typed('Permit', { Permit: PERMIT }, { value: '101' }), 'denied'],
    ['a permit without end', typed('Permit', { Permit: DAI }, { allowed: true }), 'denied'],
    ['the end of a permit', typed('Permit', { Permit: DAI }, { allowed: false }), 0n],
    [
      'an authorization of EIP-3009',
      typed('TransferWithAuthorization', { TransferWithAuthorization: EIP3009 }, { value: 99 }),
      99n,
    ],
    [
      'one for the recipient alone',
      typed('ReceiveWithAuthorization', { ReceiveWithAuthorization: EIP3009 }, { value: 101 }),
      'denied',
    ],
    [
      'the end of an authorization',
      typed(
        'CancelAuthorization',
        { CancelAuthorization: ['authorizer:address', 'nonce:bytes32'] },
        {},
      ),
      0n,
    ],
    [
      'a permit with other members',
      typed('Permit', { Permit: [...PERMIT, 'x:bool'] }, { value: 1 }),
      'denied',
    ],
    [
      'an order that the token itself would take',
      typed('Order', { Order: ['a:uint8'] }, { a: 1 }),
      'denied',
    ],
    [
      'a message for another contract',
      typed('Order', { Order: ['a:uint8'] }, { a: 1 }, { chainId: 1, verifyingContract: ALICE }),
      0n,
    ],
    [
      'a message for no contract',
      typed('Permit', { Permit: PERMIT }, { value: 1 }, { chainId: 1 }),
      'denied',
    ],
    [
      'a message for no chain',
      typed('Permit', { Permit: PERMIT }, { value: 1 }, { verifyingContract: TOKEN }),
      'denied',
    ],
    [
      'a message for the wallet itself',
      typed('Op', { Op: ['a:uint8'] }, { a: 1 }, { chainId: 1, verifyingContract: WALLET }),
      'denied',
    ],
    ['an allowance by Permit2', permit2('PermitSingle', 'details', false, item('100')), 100n],
    [
      'several by Permit2',
      permit2('PermitBatch', 'details', true, [item(60), item(40), item(9, ALICE)]),
      100n,
    ],
    [
      'too many by Permit2',
      permit2('PermitBatch', 'details', true, [item(60), item(41)]),
      'denied',
    ],
    [
      'a transfer by Permit2',
      permit2('PermitTransferFrom', 'permitted', false, item(101)),
      'denied',
    ],
    [
      'another token by Permit2',
      permit2('PermitTransferFrom', 'permitted', false, item(101, ALICE)),
      0n,
    ],
    [
      'amounts that do not fit their type',
      permit2('PermitBatch', 'details', true, [item('1e3')]),
      'denied',
    ],
    ['what Permit2 does not name', permit2('Other', 'things', false, item(1)), 'denied'],
  ])('counts %s', (_, action, amount) => {
    expect(amountOf(action)).toBe(amount)
  })

  const CALLS = parseAbi([
    'function approve(address token, address spender, uint160 amount, uint48 expiration)',
    'function transferFrom(address from, address to, uint160 amount, address token)',
    'function lockdown((address token, address spender)[] approvals)',
  ])

  test.each<readonly [string, Hex, bigint | 'denied']>([
    [
      'an allowance',
      encodeFunctionData({ abi: CALLS, functionName: 'approve', args: [TOKEN, MALLORY, 100n, 1] }),
      100n,
    ],
    [
      'an allowance of another token',
      encodeFunctionData({ abi: CALLS, functionName: 'approve', args: [ALICE, MALLORY, 999n, 1] }),
      0n,
    ],
    [
      'a transfer',
      encodeFunctionData({
        abi: CALLS,
        functionName: 'transferFrom',
        args: [WALLET, MALLORY, 101n, TOKEN],
      }),
      'denied',
    ],
    [
      "a transfer of another's",
      encodeFunctionData({
        abi: CALLS,
        functionName: 'transferFrom',
        args: [ALICE, MALLORY, 101n, TOKEN],
      }),
      0n,
    ],
    [
      'another method',
      encodeFunctionData({ abi: CALLS, functionName: 'lockdown', args: [[]] }),
      'denied',
    ],
  ])('counts %s by a call of Permit2', (_, data, amount) => {
    expect(amountOf(callOf(PERMIT2, data))).toBe(amount)
  })

  test('is the same for eth_signTransaction', () => {
    const data = encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [ALICE, 101n] })
    const transaction = transactionOf({ to: parseData(TOKEN), data: parseData(data) })
    expect(amountOf({ method: 'eth_signTransaction', transaction })).toBe('denied')
  })
})
