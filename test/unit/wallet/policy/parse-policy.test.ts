import { describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import {
  parsePolicy,
  parsePolicyChange,
  parseRule,
} from '../../../../host/wallet/policy/parse-policy.ts'
import { ALICE, TOKEN } from '../../../support/wallet/policy-case.ts'

const ABI = [
  {
    type: 'function',
    name: 'transfer',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'amount', type: 'uint256' },
      { name: '', type: 'bytes4' },
    ],
  },
  { type: 'event', name: 'Transfer', inputs: [] },
]
const TYPES = {
  types: { Permit: [{ name: 'value', type: 'uint256' }] },
  primary_type: 'Permit',
}

const condition = {
  field_source: 'ethereum_transaction',
  field: 'value',
  operator: 'lte',
  value: '10',
}
const rule = {
  name: 'cap',
  method: 'eth_sendTransaction',
  action: 'ALLOW',
  conditions: [condition],
}
const policy = { version: '1.0', name: 'p', chain_type: 'ethereum', rules: [rule] }

function problemOf(parse: () => unknown): readonly [string, string] {
  try {
    parse()
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(LockstepError)
    const { code, message, hint } = thrown as LockstepError
    expect(code).toBe('INVALID_ARGUMENT')
    return [message, hint]
  }
  return ['accepted', '']
}

const withCondition = (changed: object) => () =>
  parsePolicy({ ...policy, rules: [{ ...rule, conditions: [{ ...condition, ...changed }] }] })
const withRule = (changed: object) => () =>
  parsePolicy({ ...policy, rules: [{ ...rule, ...changed }] })

describe('a policy', () => {
  test('is accepted in camelCase or snake_case, and stored in snake_case', () => {
    const kept = { version: '1.0', name: 'p', chain_type: 'ethereum', rules: [rule] }
    expect(parsePolicy(policy)).toEqual(kept)
    const { field_source, ...rest } = condition
    const camel = { ...rest, fieldSource: field_source }
    const { chain_type, ...others } = policy
    expect(
      parsePolicy({ ...others, chainType: chain_type, rules: [{ ...rule, conditions: [camel] }] }),
    ).toEqual(kept)
    const typed = { types: TYPES.types, primaryType: 'Permit' }
    const message = {
      fieldSource: 'ethereum_typed_data_message',
      field: 'value',
      operator: 'eq',
      value: '1',
      typedData: typed,
    }
    expect(parseRule({ ...rule, method: '*', conditions: [message] }).conditions).toEqual([
      {
        field_source: 'ethereum_typed_data_message',
        field: 'value',
        operator: 'eq',
        value: '1',
        typed_data: typed,
      },
    ])
  })

  test('may name its owner, which is parsed separately, and ids of rules', () => {
    const { rules } = parsePolicy({ ...policy, owner_id: null, rules: [{ ...rule, id: 'r1' }] })
    expect(rules).toEqual([{ ...rule, id: 'r1' }])
    expect(parsePolicy({ ...policy, owner: { public_key: 'x' }, rules: [] }).rules).toEqual([])
  })

  test('is changed only in the given fields', () => {
    expect(parsePolicyChange({})).toEqual({})
    expect(parsePolicyChange({ name: 'q', ownerId: 'x' })).toEqual({ name: 'q' })
    expect(parsePolicyChange({ rules: [rule] })).toEqual({ rules: [rule] })
    expect(problemOf(() => parsePolicyChange({ version: '2.0' }))[0]).toBe(
      'version: "2.0" is not valid',
    )
  })

  test('has one spelling per field', () => {
    const fieldOf = (changed: object) =>
      parseRule({ ...rule, method: '*', conditions: [{ ...condition, ...changed }] }).conditions[0]
        ?.field
    expect(fieldOf({ field: 'chainId', operator: 'eq' })).toBe('chain_id')
    expect(
      fieldOf({ field_source: 'ethereum_typed_data_domain', field: 'chain_id', operator: 'eq' }),
    ).toBe('chainId')
    const asset = TOKEN.toUpperCase().replace('X', 'x')
    expect(fieldOf({ field_source: 'spending_window', field: asset, period: 60 })).toBe(TOKEN)
  })

  test.each<readonly [string, () => unknown, string, string]>([
    [
      'a text',
      () => parsePolicy('x'),
      'policy: "x" is not an object',
      'write an object with version, name, chain_type, rules, id, owner, owner_id, created_at',
    ],
    [
      'null',
      () => parsePolicy(null),
      'policy: null is not an object',
      'write an object with version, name, chain_type, rules, id, owner, owner_id, created_at',
    ],
    ['nothing of a policy', () => parsePolicy({}), 'version: it is missing', 'write one of 1.0'],
    [
      'an unknown version',
      () => parsePolicy({ ...policy, version: '2.0' }),
      'version: "2.0" is not valid',
      'write one of 1.0',
    ],
    [
      'no name',
      () => parsePolicy({ ...policy, name: '' }),
      'name: "" is not a valid text',
      'write a text of 1 to 256 characters',
    ],
    [
      'another kind of chain',
      () => parsePolicy({ ...policy, chain_type: 'solana' }),
      'chain_type: "solana" is not valid',
      'write one of ethereum',
    ],
    [
      'no rules',
      () => parsePolicy({ ...policy, rules: undefined }),
      'rules: it is missing',
      'write an array, or [] for none',
    ],
    [
      'too many rules',
      () => parsePolicy({ ...policy, rules: Array(101).fill(rule) }),
      'rules: has 101 items, more than 100',
      'write at most 100',
    ],
    [
      'an unknown member',
      () => parsePolicy({ ...policy, rule: [] }),
      'policy.rule: there is no such member',
      'write only version, name, chain_type, rules, id, owner, owner_id, created_at',
    ],
    [
      'a member in both spellings',
      () => parsePolicy({ ...policy, chainType: 'ethereum' }),
      'policy.chainType: chain_type is given twice',
      'write it once, as chain_type',
    ],
    [
      'a rule that is not valid',
      () => parsePolicy({ ...policy, rules: [[]] }),
      'rules[0]: [] is not an object',
      'write an object with id, name, method, action, conditions',
    ],
    [
      'an unknown method',
      withRule({ method: 'eth_sign' }),
      'rules[0].method: "eth_sign" is not valid',
      'write one of eth_sendTransaction, eth_signTransaction, eth_signTypedData_v4, personal_sign, secp256k1_sign, eth_sign7702Authorization, exportPrivateKey, *',
    ],
    [
      'an action in small letters',
      withRule({ action: 'allow' }),
      'rules[0].action: "allow" is not valid',
      'write one of ALLOW, DENY',
    ],
    [
      'no conditions',
      withRule({ conditions: undefined }),
      'rules[0].conditions: it is missing',
      'write an array, or [] for none',
    ],
    [
      'a member of a rule that is misspelt',
      withRule({ condition: [] }),
      'rules[0].condition: there is no such member',
      'write only id, name, method, action, conditions',
    ],
    [
      'an unknown source',
      withCondition({ field_source: 'calldata' }),
      'rules[0].conditions[0].field_source: "calldata" is not valid',
      'write one of ethereum_transaction, ethereum_calldata, ethereum_typed_data_domain, ethereum_typed_data_message, ethereum_7702_authorization, message, system, spending_window, simulation',
    ],
    [
      'a source that the method has not',
      withCondition({ field_source: 'message', field: 'content', operator: 'eq' }),
      'rules[0].conditions[0].field_source: eth_sendTransaction has no message',
      'use it in rules of personal_sign, *',
    ],
    [
      'an unknown field',
      withCondition({ field: 'amount' }),
      'rules[0].conditions[0].field: ethereum_transaction has no field "amount"',
      'write one of to, value, data, chain_id, type, nonce, gas_limit, max_fee_per_gas, max_fee',
    ],
    [
      'a field of all objects',
      withCondition({ field: '__proto__' }),
      'rules[0].conditions[0].field: ethereum_transaction has no field "__proto__"',
      'write one of to, value, data, chain_id, type, nonce, gas_limit, max_fee_per_gas, max_fee',
    ],
    [
      'an unknown operator',
      withCondition({ operator: 'neq' }),
      'rules[0].conditions[0].operator: "neq" is not valid',
      'write one of eq, gt, gte, lt, lte, in, contains, starts_with, ends_with',
    ],
    [
      'an operator of another type',
      withCondition({ operator: 'contains' }),
      'rules[0].conditions[0].operator: contains does not apply to the type integer',
      'write one of eq, in, gt, gte, lt, lte',
    ],
    [
      'a number',
      withCondition({ value: 10 }),
      'rules[0].conditions[0].value: 10 is not a string',
      'write values as strings: JSON numbers lose digits beyond 2^53',
    ],
    [
      'no value',
      withCondition({ value: undefined }),
      'rules[0].conditions[0].value: undefined is not a string',
      'write values as strings: JSON numbers lose digits beyond 2^53',
    ],
    [
      'ether as a fraction',
      withCondition({ value: '0.1' }),
      'rules[0].conditions[0].value: "0.1" is not an integer in decimal or 0x-hex digits',
      'write an integer in decimal or 0x-hex digits',
    ],
    [
      'less than zero',
      withCondition({ value: '-1' }),
      'rules[0].conditions[0].value: "-1" is out of the range of the field',
      'write an integer from 0 to 2^256 - 1',
    ],
    [
      'more than a word',
      withCondition({ value: String(2n ** 256n) }),
      `rules[0].conditions[0].value: "${2n ** 256n}" is out of the range of the field`,
      'write an integer from 0 to 2^256 - 1',
    ],
    [
      'a list for one value',
      withCondition({ value: ['1'] }),
      'rules[0].conditions[0].value: lte takes no array',
      'write one value, or the operator in',
    ],
    [
      'one value for a list',
      withCondition({ operator: 'in' }),
      'rules[0].conditions[0].value: "10" is not an array',
      'write an array of values, or the operator eq',
    ],
    [
      'a list with something wrong',
      withCondition({ operator: 'in', value: ['1', 'x'] }),
      'rules[0].conditions[0].value[1]: "x" is not an integer in decimal or 0x-hex digits',
      'write an integer in decimal or 0x-hex digits',
    ],
    [
      'a list without end',
      withCondition({ operator: 'in', value: Array(1001).fill('1') }),
      'rules[0].conditions[0].value: 1001 values',
      'write at most 1000, or several rules',
    ],
    [
      'an address that is not valid',
      withCondition({ field: 'to', operator: 'eq', value: '0x12' }),
      'rules[0].conditions[0].value: "0x12" is not an address, 0x and 40 hex digits',
      'write an address, 0x and 40 hex digits',
    ],
    [
      'an ABI where none belongs',
      withCondition({ abi: ABI }),
      'rules[0].conditions[0].abi: ethereum_transaction has none',
      'leave it out, or use ethereum_calldata',
    ],
    [
      'a period where none belongs',
      withCondition({ period: 5 }),
      'rules[0].conditions[0].period: ethereum_transaction has none',
      'leave it out, or use spending_window',
    ],
  ])('with %s is refused', (_, parse, message, hint) => {
    expect(problemOf(parse)).toEqual([message, hint])
  })
})

describe('a rule about calldata', () => {
  const by = (field: string, changed: object = {}) =>
    withCondition({
      field_source: 'ethereum_calldata',
      field,
      operator: 'eq',
      value: '1',
      abi: ABI,
      ...changed,
    })
  const at = 'rules[0].conditions[0]'
  const NAMES =
    'name parameters as the ABI does; all overloads of the function need the parameter, or leave them out of the ABI'

  test.each<readonly [string, () => unknown, string, string]>([
    [
      'without an ABI',
      by('transfer.amount', { abi: undefined }),
      `${at}.abi: undefined is not an ABI`,
      'add the JSON ABI of the contract, an array of the functions that the rule uses',
    ],
    [
      'with an ABI of no function',
      by('transfer.amount', { abi: [ABI[1]] }),
      `${at}.abi: it has no function`,
      'add the functions that the rule uses',
    ],
    [
      'with an item without a type',
      by('transfer.amount', { abi: [{}] }),
      `${at}.abi[0]: an item without a type`,
      'write "type": "function"',
    ],
    [
      'with a type that is not valid',
      by('f.a', { abi: [{ type: 'function', name: 'f', inputs: [{ type: 'int7', name: 'a' }] }] }),
      `${at}.abi[0]: {"type":"function","name":"f","inputs":[{"type":"int7","name":"a"}]} is not an ABI function`,
      'write it as a compiler does: type, name, and inputs with Solidity types',
    ],
    [
      'with a function alone',
      by('transfer'),
      `${at}.field: "transfer" is not a parameter of a function of the ABI`,
      'write function_name, or a function of the ABI and its parameter, such as transfer.<parameter>; the ABI has transfer',
    ],
    [
      'with a function that is not there',
      by('approve.amount'),
      `${at}.field: "approve.amount" is not a parameter of a function of the ABI`,
      'write function_name, or a function of the ABI and its parameter, such as transfer.<parameter>; the ABI has transfer',
    ],
    [
      'with a parameter that is not there',
      by('transfer.value'),
      `${at}.field: "transfer.value" has no member value among to, amount, (no name) of transfer(address,uint256,bytes4)`,
      NAMES,
    ],
    [
      'with a path into an integer',
      by('transfer.amount.x'),
      `${at}.field: "transfer.amount.x" has x after a value without members of transfer(address,uint256,bytes4)`,
      NAMES,
    ],
    [
      'with an index into an integer',
      by('transfer.amount[0]'),
      `${at}.field: "transfer.amount[0]" has an index after amount, which is not an array there of transfer(address,uint256,bytes4)`,
      NAMES,
    ],
    [
      'with an index that is not valid',
      by('transfer.amount[-1]'),
      `${at}.field: "transfer.amount[-1]" has an invalid part: "amount[-1]" of transfer(address,uint256,bytes4)`,
      NAMES,
    ],
    [
      'with the name of no function',
      by('function_name', { value: 'aprove' }),
      `${at}.value: "aprove" is not a function of the ABI`,
      'write one of transfer',
    ],
  ])('%s is refused', (_, parse, message, hint) => {
    expect(problemOf(parse)).toEqual([message, hint])
  })

  test('is refused if its ABI has two functions with one selector', () => {
    const named = (name: string, ...types: readonly string[]) => ({
      type: 'function',
      name,
      inputs: types.map((type, index) => ({ type, name: `a${index}` })),
    })
    // Both selectors are 0x42966c68.
    const abi = [named('burn', 'uint256'), named('collate_propagate_storage', 'bytes16')]
    expect(problemOf(by('burn.a0', { abi }))).toEqual([
      `${at}.abi[1]: collate_propagate_storage(bytes16) has the selector of burn(uint256)`,
      'leave out the one that the contract does not have',
    ])
  })

  test('about overloads requires the parameter in each of them, with one type', () => {
    const named = (...inputs: readonly object[]) => ({ type: 'function', name: 'f', inputs })
    const a = (type: string) => ({ name: 'a', type })
    const b = { name: 'b', type: 'bool' }
    expect(problemOf(by('f.a', { abi: [named(a('uint8')), named(a('uint16'), b)] }))[0]).toBe(
      'accepted',
    )
    expect(problemOf(by('f.a', { abi: [named(a('uint8')), named(b)] }))[0]).toBe(
      `${at}.field: "f.a" has no member a among b of f(bool)`,
    )
    expect(problemOf(by('f.a', { abi: [named(a('uint8')), named(a('address'))] }))[0]).toBe(
      `${at}.field: "f.a" has several types`,
    )
  })

  test('about an array or a tuple must select a value in it', () => {
    const inputs = [
      { name: 'list', type: 'uint8[2]' },
      { name: 'pair', type: 'tuple', components: [{ name: 'x', type: 'bool' }] },
    ]
    const abi = [{ type: 'function', name: 'f', inputs }]
    const why = (field: string) => problemOf(by(field, { abi }))[0]
    expect(why('f.list')).toContain('is an array: write the index of an item, or [*] for each')
    expect(why('f.list[2]')).toContain('has the index 2 after list, which has 2 items')
    expect(why('f.list[1]')).toBe('accepted')
    expect(why('f.list[*]')).toBe('accepted')
    expect(why('f.pair')).toContain('is a tuple: go on to one of x')
    expect(problemOf(by('f.pair.x', { abi, value: 'true' }))[0]).toBe('accepted')
    expect(problemOf(by('f.pair.x', { abi, value: '1' }))[1]).toBe('write "true" or "false"')
  })
})

describe('a rule about typed data', () => {
  const by = (changed: object) => () =>
    parseRule({
      ...rule,
      method: 'eth_signTypedData_v4',
      conditions: [
        {
          field_source: 'ethereum_typed_data_message',
          field: 'value',
          operator: 'eq',
          value: '1',
          typed_data: TYPES,
          ...changed,
        },
      ],
    })
  const at = 'rule.conditions[0]'

  test.each<readonly [string, object, string]>([
    ['no types', { typed_data: undefined }, `${at}.typed_data: undefined has no EIP-712 types`],
    [
      'no primary type',
      { typed_data: { types: TYPES.types } },
      `${at}.typed_data: {"types":{"Permit":[{"name":"value","type":"uint256"}]}} has no EIP-712 types`,
    ],
    [
      'a primary type that is not there',
      { typed_data: { ...TYPES, primary_type: 'X' } },
      `${at}.typed_data: "X" is not a struct of the types, or one of its types is invalid`,
    ],
    [
      'a type that is not there',
      { typed_data: { types: { A: [{ name: 'a', type: 'B' }] }, primary_type: 'A' } },
      `${at}.typed_data: "A" is not a struct of the types, or one of its types is invalid`,
    ],
    [
      'a struct in itself',
      { typed_data: { types: { A: [{ name: 'a', type: 'A[]' }] }, primary_type: 'A' } },
      `${at}.typed_data: A holds itself`,
    ],
    [
      'a member that is not there',
      { field: 'amount' },
      `${at}.field: "amount" has no member amount among value of Permit`,
    ],
  ])('with %s is refused', (_, changed, message) => {
    expect(problemOf(by(changed))[0]).toBe(message)
  })
})

describe('a rule with a window', () => {
  const by =
    (changed: object, action = 'ALLOW') =>
    () =>
      parseRule({
        ...rule,
        action,
        conditions: [
          {
            field_source: 'spending_window',
            field: 'native',
            operator: action === 'ALLOW' ? 'lte' : 'gt',
            value: '1',
            period: 60,
            ...changed,
          },
        ],
      })
  const at = 'rule.conditions[0]'

  test.each<readonly [string, () => unknown, string, string]>([
    [
      'an asset that is not valid',
      by({ field: 'value' }),
      `${at}.field: "value" is not an asset`,
      'write native, native_with_fee, or the address of an ERC-20 token',
    ],
    [
      'no period',
      by({ period: undefined }),
      `${at}.period: undefined is not a valid period`,
      'write seconds, from 1 to 31536000: 86400 is a day',
    ],
    [
      'a period as a text',
      by({ period: '60' }),
      `${at}.period: "60" is not a valid period`,
      'write seconds, from 1 to 31536000: 86400 is a day',
    ],
    [
      'a period of nothing',
      by({ period: 0 }),
      `${at}.period: 0 is not a valid period`,
      'write seconds, from 1 to 31536000: 86400 is a day',
    ],
    [
      'leave from a sum on',
      by({ operator: 'gt' }),
      `${at}.operator: gt cannot limit a sum in a rule with ALLOW`,
      'write lte or lt',
    ],
    [
      'denial up to a sum',
      by({ operator: 'lte' }, 'DENY'),
      `${at}.operator: lte cannot limit a sum in a rule with DENY`,
      'write gt or gte',
    ],
    [
      'a limit that is not valid',
      by({ value: '1 ether' }),
      `${at}.value: "1 ether" is not an integer in decimal or 0x-hex digits`,
      'write an integer in decimal or 0x-hex digits',
    ],
  ])('with %s is refused', (_, parse, message, hint) => {
    expect(problemOf(parse)).toEqual([message, hint])
  })
})

describe('a rule with a simulation', () => {
  const told = { field_source: 'simulation', field: 'native', operator: 'lte', value: '1' }

  test('that allows requires a condition on the signed transaction', () => {
    const [message, hint] = problemOf(() => parseRule({ ...rule, conditions: [told] }))
    expect(message).toBe('rule.conditions: the rule would allow by a simulation alone')
    expect(hint).toBe('add conditions on the transaction: the signer cannot verify a simulation')
    const known = { ...condition, field: 'to', operator: 'eq', value: ALICE }
    expect(parseRule({ ...rule, conditions: [told, known] }).conditions).toHaveLength(2)
    expect(parseRule({ ...rule, action: 'DENY', conditions: [told] }).conditions).toHaveLength(1)
  })

  test('lists the names that it supports', () => {
    const [message, hint] = problemOf(() =>
      parseRule({ ...rule, action: 'DENY', conditions: [{ ...told, field: 'gas' }] }),
    )
    expect(message).toBe('rule.conditions[0].field: simulation has no field "gas"')
    expect(hint).toBe('write one of success, native, assets, or the address of a token')
  })
})
