import { encodeFunctionData, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Hex, parseData } from '../../../../host/base/hex.ts'
import type { SigningAction } from '../../../../host/wallet/policy/signing-action.ts'
import {
  ALICE,
  callOf,
  conditionOf,
  decide,
  MALLORY,
  messageOf,
  rule,
  sendOf,
  TOKEN,
} from '../../../support/wallet/policy-case.ts'

const TRANSFER = parseAbi(['function transfer(address to, uint256 amount)'])
const ERC20 = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function multicall(bytes[] data)',
  'function execute(address target, uint256 value, bytes data)',
  'function safeTransferFrom(address from, address to, uint256 id, bytes data)',
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
])

const transaction = (field: string, operator: string, value: unknown) =>
  conditionOf('ethereum_transaction', field, operator, value)
const calldata = (
  field: string,
  operator: string,
  value: unknown,
  abi: readonly unknown[] = TRANSFER,
) => conditionOf('ethereum_calldata', field, operator, value, { abi })

const allowed = (rules: readonly unknown[], action: SigningAction) => decide(rules, action).allowed
const transfer = (amount: bigint, to: Hex = ALICE) =>
  encodeFunctionData({ abi: TRANSFER, functionName: 'transfer', args: [to, amount] })

const CAP = [
  rule('ALLOW', [transaction('to', 'eq', TOKEN), calldata('transfer.amount', 'lte', '100')]),
]
/** Allows everything except transfers of more than 100. */
const ALL_BUT = [rule('ALLOW'), rule('DENY', [calldata('transfer.amount', 'gt', '100')])]

describe('a missing value of a transaction', () => {
  test('is zero', () => {
    expect(allowed([rule('ALLOW', [transaction('value', 'eq', '0')])], sendOf())).toBe(true)
    expect(allowed([rule('ALLOW', [transaction('value', 'lt', '1')])], sendOf())).toBe(true)
    expect(allowed([rule('ALLOW', [transaction('value', 'gt', '0')])], sendOf())).toBe(false)
  })
})

describe('a contract creation', () => {
  const creation = sendOf({ to: undefined, data: parseData('0x6001600155') })

  test('meets no condition on the recipient', () => {
    for (const value of [ALICE, `0x${'0'.repeat(40)}`]) {
      expect(allowed([rule('ALLOW', [transaction('to', 'eq', value)])], creation)).toBe(false)
      expect(allowed([rule('ALLOW', [transaction('to', 'in', [value])])], creation)).toBe(false)
      expect(
        allowed([rule('ALLOW'), rule('DENY', [transaction('to', 'eq', value)])], creation),
      ).toBe(true)
    }
  })

  test('has no calldata, even if it begins like a call', () => {
    const disguised = sendOf({ to: undefined, data: parseData(transfer(1n)) })
    expect(allowed([rule('ALLOW', [calldata('transfer.amount', 'lte', '100')])], disguised)).toBe(
      false,
    )
    expect(allowed(ALL_BUT, disguised)).toBe(false)
    expect(allowed(ALL_BUT, creation)).toBe(false)
  })
})

describe('calldata that is not the canonical encoding of its arguments', () => {
  const dirty = `${transfer(1n).slice(0, 10)}${'f'.repeat(24)}${transfer(1n).slice(34)}` as Hex
  const cases: readonly (readonly [string, Hex])[] = [
    ['has bytes behind', `${transfer(1n)}00`],
    ['has a word behind', `${transfer(1n)}${'0'.repeat(64)}`],
    ['has dirty bytes before an address', dirty],
    ['is cut short', transfer(1n).slice(0, -2) as Hex],
    ['is a selector alone', transfer(1n).slice(0, 10) as Hex],
    ['is shorter than a selector', '0xa9059c'],
    ['is of a function that the rule does not know', '0xdeadbeef'],
  ]

  test.each(cases)('does not meet a rule that allows if it %s', (_, data) => {
    expect(allowed(CAP, callOf(TOKEN, transfer(1n)))).toBe(true)
    expect(allowed(CAP, callOf(TOKEN, data))).toBe(false)
  })

  test.each(cases)('meets a rule that denies if it %s', (_, data) => {
    expect(allowed(ALL_BUT, callOf(TOKEN, transfer(100n)))).toBe(true)
    expect(allowed(ALL_BUT, callOf(TOKEN, transfer(101n)))).toBe(false)
    expect(allowed(ALL_BUT, callOf(TOKEN, data))).toBe(false)
  })

  test('with a displaced offset cannot show one value to the rule and another to the contract', () => {
    const abi = parseAbi(['function pay(bytes memo, address to)'])
    const rules = [rule('ALLOW', [calldata('pay.to', 'eq', ALICE, abi)])]
    const data = encodeFunctionData({ abi, functionName: 'pay', args: ['0x1234', ALICE] })
    expect(allowed(rules, callOf(TOKEN, data))).toBe(true)
    // The memo is moved by one word, with a word of junk before it.
    const moved = data.replace(`${'0'.repeat(62)}40`, `${'0'.repeat(62)}60`)
    const junk = `${moved.slice(0, 138)}${'0'.repeat(64)}${moved.slice(138)}` as Hex
    expect(allowed(rules, callOf(TOKEN, junk))).toBe(false)
  })

  test('that is empty is no call and is not denied by a rule about calls', () => {
    expect(allowed(ALL_BUT, sendOf({ value: 1n }))).toBe(true)
    expect(allowed(CAP, callOf(TOKEN, '0x'))).toBe(false)
  })
})

describe('a method other than the one that a rule limits', () => {
  const big = 10n ** 30n
  const calls: readonly (readonly [string, Hex])[] = [
    ['approve', encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [MALLORY, big] })],
    [
      'setApprovalForAll',
      encodeFunctionData({ abi: ERC20, functionName: 'setApprovalForAll', args: [MALLORY, true] }),
    ],
    [
      'transferFrom',
      encodeFunctionData({ abi: ERC20, functionName: 'transferFrom', args: [ALICE, MALLORY, big] }),
    ],
    [
      'permit',
      encodeFunctionData({
        abi: ERC20,
        functionName: 'permit',
        args: [ALICE, MALLORY, big, 0n, 27, `0x${'1'.repeat(64)}`, `0x${'1'.repeat(64)}`],
      }),
    ],
    [
      'multicall',
      encodeFunctionData({ abi: ERC20, functionName: 'multicall', args: [[transfer(big)]] }),
    ],
    [
      'execute',
      encodeFunctionData({ abi: ERC20, functionName: 'execute', args: [TOKEN, 0n, transfer(big)] }),
    ],
    [
      'safeTransferFrom',
      encodeFunctionData({
        abi: ERC20,
        functionName: 'safeTransferFrom',
        args: [ALICE, MALLORY, 1n, transfer(big)],
      }),
    ],
    [
      'aggregate3',
      encodeFunctionData({
        abi: ERC20,
        functionName: 'aggregate3',
        args: [[{ target: TOKEN, allowFailure: false, callData: transfer(big) }]],
      }),
    ],
  ]

  test.each(calls)('is not allowed by the rule: %s', (_, data) => {
    expect(allowed(CAP, callOf(TOKEN, data))).toBe(false)
  })

  test.each(calls)('is denied by a rule whose ABI does not have it: %s', (_, data) => {
    expect(allowed(ALL_BUT, callOf(TOKEN, data))).toBe(false)
  })

  test.each(calls.slice(4))(
    'is denied by a rule whose ABI has it if it carries calls: %s',
    (_, data) => {
      const byAmount = [
        rule('ALLOW'),
        rule('DENY', [calldata('transfer.amount', 'gt', '100', ERC20)]),
      ]
      const byName = [
        rule('ALLOW'),
        rule('DENY', [calldata('function_name', 'eq', 'transfer', ERC20)]),
      ]
      expect(decide(byAmount, callOf(TOKEN, data)).reason).toMatch(
        /carries bytes, which may be calls$/,
      )
      expect(decide(byName, callOf(TOKEN, data)).reason).toMatch(
        /carries bytes, which may be calls$/,
      )
    },
  )

  test('passes a rule whose ABI has it if it carries nothing', () => {
    const byName = [
      rule('ALLOW'),
      rule('DENY', [calldata('function_name', 'eq', 'transfer', ERC20)]),
    ]
    expect(allowed(byName, callOf(TOKEN, calls[0]?.[1] as Hex))).toBe(true)
    const none = encodeFunctionData({
      abi: ERC20,
      functionName: 'execute',
      args: [TOKEN, 1n, '0x'],
    })
    expect(allowed(byName, callOf(TOKEN, none))).toBe(true)
    expect(allowed(byName, callOf(TOKEN, transfer(1n)))).toBe(false)
  })

  test('is another function even if its name is the same', () => {
    const overload = parseAbi(['function transfer(address to, uint256 amount, bytes data)'])
    const data = encodeFunctionData({
      abi: overload,
      functionName: 'transfer',
      args: [ALICE, 1n, '0x'],
    })
    const byName = [rule('ALLOW', [calldata('function_name', 'eq', 'transfer')])]
    expect(allowed(byName, callOf(TOKEN, transfer(1n)))).toBe(true)
    expect(allowed(byName, callOf(TOKEN, data))).toBe(false)
    const both = [
      rule('ALLOW', [calldata('transfer.amount', 'eq', '1', [...TRANSFER, ...overload])]),
    ]
    expect(allowed(both, callOf(TOKEN, data))).toBe(true)
    expect(allowed(both, callOf(TOKEN, transfer(2n)))).toBe(false)
  })
})

describe('numbers in rules', () => {
  const lte = (value: string) => [rule('ALLOW', [transaction('value', 'lte', value)])]

  test('beyond 2^53 are compared to the last digit', () => {
    const limit = 2n ** 53n + 1n
    expect(allowed(lte(String(limit)), sendOf({ value: limit }))).toBe(true)
    expect(allowed(lte(String(limit)), sendOf({ value: limit + 1n }))).toBe(false)
    expect(allowed(lte(String(2n ** 256n - 1n)), sendOf({ value: 2n ** 256n - 1n }))).toBe(true)
  })

  test('are not compared as text: 9 is less than 10', () => {
    expect(allowed(lte('10'), sendOf({ value: 9n }))).toBe(true)
    expect(allowed(lte('9'), sendOf({ value: 10n }))).toBe(false)
  })

  test('may be hex with leading zeros', () => {
    expect(allowed(lte('0x000a'), sendOf({ value: 10n }))).toBe(true)
    expect(allowed(lte('0X0A'.toLowerCase()), sendOf({ value: 11n }))).toBe(false)
    const eq = [rule('ALLOW', [transaction('value', 'in', ['0x00000f', '0x1'])])]
    expect(allowed(eq, sendOf({ value: 15n }))).toBe(true)
  })

  test('below zero are less than zero', () => {
    const abi = parseAbi(['function move(int64 by)'])
    const move = (by: bigint) =>
      callOf(TOKEN, encodeFunctionData({ abi, functionName: 'move', args: [by] }))
    const rules = [rule('ALLOW', [calldata('move.by', 'lt', '-5', abi)])]
    expect(allowed(rules, move(-6n))).toBe(true)
    expect(allowed(rules, move(-5n))).toBe(false)
    expect(allowed(rules, move(6n))).toBe(false)
  })
})

describe('values in calldata under a rule', () => {
  const abi = parseAbi([
    'function order((address maker, (uint96 amount, bytes4 tag)[] lines, string note) o, bool urgent)',
    'function pay(address[] to, uint256[2] amounts)',
  ])
  const order = (lines: readonly { amount: bigint; tag: Hex }[], note = 'a, b', urgent = true) =>
    callOf(
      TOKEN,
      encodeFunctionData({
        abi,
        functionName: 'order',
        args: [{ maker: ALICE, lines, note }, urgent],
      }),
    )
  const pay = (to: readonly Hex[]) =>
    callOf(TOKEN, encodeFunctionData({ abi, functionName: 'pay', args: [to, [1n, 2n]] }))
  const by = (field: string, operator: string, value: unknown) => [
    rule('ALLOW', [calldata(field, operator, value, abi)]),
  ]
  const line = (amount: bigint, tag: Hex = '0x12345678') => ({ amount, tag })

  test.each<readonly [string, string, unknown, boolean]>([
    ['order.o.maker', 'eq', ALICE, true],
    ['order.o.maker', 'in', [MALLORY], false],
    ['order.o.lines[0].amount', 'eq', '5', true],
    ['order.o.lines[1].amount', 'eq', '5', false],
    ['order.o.lines[2].amount', 'gte', '0', false],
    ['order.o.lines[*].amount', 'lte', '7', true],
    ['order.o.lines[*].amount', 'lte', '6', false],
    ['order.o.lines[0].tag', 'eq', '0x12345678', true],
    ['order.o.lines[0].tag', 'starts_with', '0x1234', true],
    ['order.o.lines[0].tag', 'contains', '0x3456', true],
    ['order.o.lines[0].tag', 'contains', '0x2345', false],
    ['order.o.lines[0].tag', 'ends_with', '0x78', true],
    ['order.o.note', 'contains', ', ', true],
    ['order.o.note', 'eq', 'a', false],
    ['order.urgent', 'eq', 'true', true],
    ['order.urgent', 'eq', 'false', false],
    ['pay.to[0]', 'eq', ALICE, false],
  ])('are compared for %s %s %s', (field, operator, value, expected) => {
    expect(allowed(by(field, operator, value), order([line(5n), line(7n)]))).toBe(expected)
  })

  test('match for each item: all for a rule that allows, one for a rule that denies, and an empty list is no match', () => {
    const allow = by('pay.to[*]', 'eq', ALICE)
    const deny = [rule('ALLOW'), rule('DENY', [calldata('pay.to[*]', 'eq', MALLORY, abi)])]
    expect(allowed(allow, pay([ALICE, ALICE]))).toBe(true)
    expect(allowed(allow, pay([ALICE, MALLORY]))).toBe(false)
    expect(allowed(allow, pay([]))).toBe(false)
    expect(allowed(deny, pay([ALICE, MALLORY]))).toBe(false)
    expect(allowed(deny, pay([ALICE]))).toBe(true)
  })
})

describe('another way of signing', () => {
  const deny = [rule('ALLOW'), rule('DENY', [transaction('to', 'eq', MALLORY)])]

  test('such as a bare hash needs its own rule or *, and no rule about content allows it', () => {
    const action: SigningAction = { method: 'secp256k1_sign', hash: new Uint8Array(32) }
    expect(allowed([rule('ALLOW', [], 'eth_sendTransaction')], action)).toBe(false)
    expect(allowed([rule('ALLOW', [], 'personal_sign')], action)).toBe(false)
    expect(allowed([rule('ALLOW', [], 'secp256k1_sign')], action)).toBe(true)
    expect(allowed([rule('ALLOW')], action)).toBe(true)
    expect(allowed([rule('ALLOW', [transaction('to', 'eq', ALICE)])], action)).toBe(false)
    expect(decide(deny, action).reason).toBe(
      'denied by rule "DENY *": ethereum_transaction.to: secp256k1_sign can serve for any action, including transaction',
    )
  })

  test('such as an exported key is treated as a bare hash', () => {
    const action: SigningAction = { method: 'exportPrivateKey' }
    expect(allowed([rule('ALLOW')], action)).toBe(true)
    expect(allowed(deny, action)).toBe(false)
    expect(allowed([rule('ALLOW', [], 'eth_signTransaction')], action)).toBe(false)
  })

  test('such as a message is not a transaction', () => {
    expect(allowed(deny, messageOf('hello'))).toBe(true)
    expect(allowed([rule('ALLOW', [transaction('to', 'eq', ALICE)])], messageOf('hello'))).toBe(
      false,
    )
  })

  test('such as eth_signTransaction is not eth_sendTransaction', () => {
    const send = sendOf()
    const sign = { ...send, method: 'eth_signTransaction' } as SigningAction
    const rules = [rule('ALLOW', [], 'eth_sendTransaction')]
    expect(allowed(rules, send)).toBe(true)
    expect(allowed(rules, sign)).toBe(false)
  })
})

describe('the chain of a request', () => {
  const only = [rule('ALLOW', [transaction('chain_id', 'eq', '1329')])]
  const never = [rule('ALLOW'), rule('DENY', [transaction('chain_id', 'eq', '1')])]

  test('is any chain for a transaction without one', () => {
    const unbound = sendOf({ type: 0, chainId: undefined })
    expect(allowed(only, sendOf())).toBe(true)
    expect(allowed(only, sendOf({ chainId: 1n }))).toBe(false)
    expect(allowed(only, unbound)).toBe(false)
    expect(allowed(never, sendOf())).toBe(true)
    expect(allowed(never, sendOf({ chainId: 1n }))).toBe(false)
    expect(allowed(never, unbound)).toBe(false)
  })

  test('is any chain for an authorization for 0', () => {
    const sign = (chainId: bigint): SigningAction => ({
      method: 'eth_sign7702Authorization',
      chainId,
      contract: parseData(ALICE),
      nonce: 0n,
    })
    const source = 'ethereum_7702_authorization'
    const one = [
      rule('ALLOW', [
        conditionOf(source, 'chain_id', 'eq', '1'),
        conditionOf(source, 'contract', 'in', [ALICE]),
      ]),
    ]
    expect(allowed(one, sign(1n))).toBe(true)
    expect(allowed(one, sign(2n))).toBe(false)
    expect(allowed(one, sign(0n))).toBe(false)
    const not = [rule('ALLOW'), rule('DENY', [conditionOf(source, 'chain_id', 'eq', '1')])]
    expect(allowed(not, sign(0n))).toBe(false)
    expect(allowed(not, sign(2n))).toBe(true)
    expect(
      allowed([rule('ALLOW', [conditionOf(source, 'contract', 'eq', MALLORY)])], sign(1n)),
    ).toBe(false)
  })
})

describe('messages under a rule', () => {
  const by = (field: string, operator: string, value: unknown) => [
    rule('ALLOW', [conditionOf('message', field, operator, value)]),
  ]

  test('are compared as text and as bytes', () => {
    const text = messageOf('Log in to shop.example: 1👍')
    expect(allowed(by('content', 'starts_with', 'Log in to shop.example: '), text)).toBe(true)
    expect(allowed(by('content', 'starts_with', 'log in'), text)).toBe(false)
    expect(allowed(by('content', 'ends_with', '1👍'), text)).toBe(true)
    expect(allowed(by('byte_length', 'eq', '29'), text)).toBe(true)
    expect(allowed(by('byte_length', 'lt', '29'), text)).toBe(false)
  })

  test('that are not text match no rule about text', () => {
    const bytes = messageOf(Uint8Array.of(0x41, 0xff))
    expect(allowed(by('content', 'starts_with', 'A'), bytes)).toBe(false)
    const deny = [
      rule('ALLOW'),
      rule('DENY', [conditionOf('message', 'content', 'contains', 'drain')]),
    ]
    expect(allowed(deny, bytes)).toBe(false)
    expect(allowed(deny, messageOf('hello'))).toBe(true)
    expect(allowed(by('content', 'eq', 'A'), messageOf('\ufeffA'))).toBe(false)
  })
})

describe('the time in a rule', () => {
  test('is that of the signer in seconds', () => {
    const until = [
      rule('ALLOW', [conditionOf('system', 'current_unix_timestamp', 'lt', '1800000001')]),
    ]
    expect(decide(until, sendOf(), { now: 1_800_000_000.9 }).allowed).toBe(true)
    expect(decide(until, sendOf(), { now: 1_800_000_001 }).allowed).toBe(false)
  })
})

describe('a rule about a simulation', () => {
  const out = (field: string, operator: string, value: string) =>
    conditionOf('simulation', field, operator, value)
  const simulated = (amounts: Readonly<Record<string, bigint>>, succeeds = true) => ({
    simulation: { succeeds, out: new Map(Object.entries(amounts)) },
  })
  const rules = [
    rule(
      'ALLOW',
      [transaction('value', 'lte', '5'), out(TOKEN, 'lte', '10')],
      'eth_sendTransaction',
    ),
  ]
  const deny = [rule('ALLOW'), rule('DENY', [out('assets', 'gt', '1')])]

  test('restricts what other rules allow', () => {
    expect(decide(rules, sendOf(), simulated({ [TOKEN]: 10n })).allowed).toBe(true)
    expect(decide(rules, sendOf(), simulated({})).allowed).toBe(true)
    expect(decide(rules, sendOf(), simulated({ [TOKEN]: 11n })).allowed).toBe(false)
    expect(decide(rules, sendOf({ value: 6n }), simulated({})).allowed).toBe(false)
    expect(decide(deny, sendOf(), simulated({ native: 1n })).allowed).toBe(true)
    expect(decide(deny, sendOf(), simulated({ native: 1n, [TOKEN]: 1n })).allowed).toBe(false)
  })

  test('denies if there is no simulation or it fails', () => {
    for (const members of [{}, simulated({}, false)]) {
      expect(decide(rules, sendOf(), members).allowed).toBe(false)
      expect(decide(deny, sendOf(), members).allowed).toBe(false)
    }
    expect(decide(deny, messageOf('hello')).allowed).toBe(true)
    expect(decide(deny, { method: 'secp256k1_sign', hash: new Uint8Array(32) }).allowed).toBe(false)
    const failing = [
      rule(
        'ALLOW',
        [transaction('value', 'eq', '0'), out('success', 'eq', 'true')],
        'eth_sendTransaction',
      ),
    ]
    expect(decide(failing, sendOf(), simulated({}, false)).allowed).toBe(false)
    expect(decide(failing, sendOf(), simulated({})).allowed).toBe(true)
  })
})
