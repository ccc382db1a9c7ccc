import { describe, expect, test } from 'vitest'
import { type Hex, parseData } from '../../../../host/base/hex.ts'
import type { SigningAction } from '../../../../host/wallet/policy/signing-action.ts'
import {
  FIELD_SOURCES,
  OPERATORS,
  RULE_METHODS,
} from '../../../../host/wallet/protocol/policy-shapes.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { ALICE, decide, MALLORY, sendOf, TOKEN } from '../../../support/wallet/policy-case.ts'

const ABI = ['transfer', 'approve'].map((name) => ({
  type: 'function',
  name,
  inputs: [
    { name: 'to', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
}))
const TYPES = {
  types: {
    Note: [
      { name: 'amount', type: 'int256' },
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
      { name: 'raw', type: 'bytes' },
      { name: 'on', type: 'bool' },
    ],
  },
  primary_type: 'Note',
}
const NOW = 1_800_000_000

type Type = 'number' | 'address' | 'bytes' | 'text' | 'bool'
/** A number is in decimal; an address and bytes are in lower-case hex. */
type Known = { readonly is: string }
/** Null is known to be absent; undefined is unknown. */
type FieldValue = Known | null | undefined

interface Row {
  readonly source: string
  readonly field: string
  readonly type: Type
  readonly more?: object
}

/** Every source with fields of each of its types. */
const ROWS: readonly Row[] = [
  { source: 'ethereum_transaction', field: 'to', type: 'address' },
  { source: 'ethereum_transaction', field: 'value', type: 'number' },
  { source: 'ethereum_transaction', field: 'data', type: 'bytes' },
  { source: 'ethereum_transaction', field: 'chain_id', type: 'number' },
  { source: 'ethereum_transaction', field: 'type', type: 'number' },
  { source: 'ethereum_transaction', field: 'nonce', type: 'number' },
  { source: 'ethereum_transaction', field: 'gas_limit', type: 'number' },
  { source: 'ethereum_transaction', field: 'max_fee_per_gas', type: 'number' },
  { source: 'ethereum_transaction', field: 'max_fee', type: 'number' },
  { source: 'ethereum_calldata', field: 'function_name', type: 'text', more: { abi: ABI } },
  { source: 'ethereum_calldata', field: 'transfer.to', type: 'address', more: { abi: ABI } },
  { source: 'ethereum_calldata', field: 'transfer.amount', type: 'number', more: { abi: ABI } },
  { source: 'ethereum_typed_data_domain', field: 'name', type: 'text' },
  { source: 'ethereum_typed_data_domain', field: 'version', type: 'text' },
  { source: 'ethereum_typed_data_domain', field: 'chainId', type: 'number' },
  { source: 'ethereum_typed_data_domain', field: 'verifyingContract', type: 'address' },
  { source: 'ethereum_typed_data_domain', field: 'salt', type: 'bytes' },
  ...(['amount', 'to', 'text', 'raw', 'on'] as const).map(
    (field, at): Row => ({
      source: 'ethereum_typed_data_message',
      field,
      type: (['number', 'address', 'text', 'bytes', 'bool'] as const)[at] as Type,
      more: { typed_data: TYPES },
    }),
  ),
  { source: 'ethereum_7702_authorization', field: 'contract', type: 'address' },
  { source: 'ethereum_7702_authorization', field: 'chain_id', type: 'number' },
  { source: 'message', field: 'content', type: 'text' },
  { source: 'message', field: 'byte_length', type: 'number' },
  { source: 'system', field: 'current_unix_timestamp', type: 'number' },
  { source: 'simulation', field: 'native', type: 'number' },
  { source: 'simulation', field: TOKEN, type: 'number' },
  { source: 'simulation', field: 'assets', type: 'number' },
  { source: 'simulation', field: 'success', type: 'bool' },
]

const COMPARED: Readonly<Record<Type, readonly string[]>> = {
  number: ['eq', 'gt', 'gte', 'lt', 'lte', 'in'],
  address: ['eq', 'in'],
  bool: ['eq', 'in'],
  text: ['eq', 'in', 'contains', 'starts_with', 'ends_with'],
  bytes: ['eq', 'in', 'contains', 'starts_with', 'ends_with'],
}

const keyOf = ({ source, field }: Pick<Row, 'source' | 'field'>) => `${source}.${field}`
const pairs = (hex: string) => hex.toLowerCase().slice(2).match(/../g) ?? []

/** Reference implementation of a comparison, without any code of the tested one. */
function meets(
  type: Type,
  { is }: Known,
  operator: string,
  value: string | readonly string[],
): boolean {
  if (typeof value !== 'string') return value.some((each) => meets(type, { is }, 'eq', each))
  if (type === 'number') {
    const difference = BigInt(is) - BigInt(value)
    if (operator === 'eq') return difference === 0n
    if (operator[0] === 'g') return difference > 0n || (operator === 'gte' && difference === 0n)
    return difference < 0n || (operator === 'lte' && difference === 0n)
  }
  const [whole, part]: [readonly string[], readonly string[]] =
    type === 'bytes' || type === 'address' ? [pairs(is), pairs(value)] : [[...is], [...value]]
  const stands = (at: number) => part.every((each, index) => whole[at + index] === each)
  if (operator === 'eq') return whole.length === part.length && stands(0)
  if (operator === 'starts_with') return stands(0)
  if (operator === 'ends_with')
    return whole.length >= part.length && stands(whole.length - part.length)
  return [0, ...whole.keys()].some(stands)
}

interface Case {
  readonly action: SigningAction
  readonly seen: Readonly<Record<string, FieldValue>>
  /** Amount of the native asset that it spends; undefined if unknown. */
  readonly native: bigint | undefined
}

interface ConditionCase extends Row {
  readonly operator: string
  readonly value: string | readonly string[]
  readonly period?: number
}
interface RuleCase {
  readonly action: string
  readonly method: string
  readonly conditions: readonly ConditionCase[]
}

const SPENT = 40n

/** Reference implementation of a decision: returns whether rules allow an action. */
function allows(rules: readonly RuleCase[], { action, seen, native }: Case): boolean {
  const judge = ({ conditions, action: does }: RuleCase) =>
    conditions.every(({ operator, value, type, ...row }) => {
      if (row.source === 'spending_window') {
        if (native === undefined) return does === 'DENY'
        if (native === 0n) return does === 'ALLOW'
        return meets('number', { is: String(native + SPENT) }, operator, value)
      }
      const found = seen[keyOf(row)]
      if (found === undefined) return does === 'DENY'
      return found !== null && meets(type, found, operator, value)
    })
  const matching = rules.filter((rule) => ['*', action.method].includes(rule.method)).filter(judge)
  return matching.length > 0 && matching.every((rule) => rule.action === 'ALLOW')
}

const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** Returns the value of every field of an action. Fields other than `known` are absent, or unknown for a bare hash. */
function seenOf(
  known: Readonly<Record<string, FieldValue>>,
  others: 'absent' | 'unknown' = 'absent',
) {
  const seen: Record<string, FieldValue> = {}
  for (const row of ROWS) seen[keyOf(row)] = others === 'absent' ? null : undefined
  seen['system.current_unix_timestamp'] = { is: String(NOW) }
  return { ...seen, ...known }
}

const seed = runSeed()
const random = makeRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
const small = () => BigInt(pick([0, 1, 9, 10, 50, 99, 100, 101, 2 ** 53]))
const someAddress = () => pick([ALICE, MALLORY, TOKEN])
const someText = () => pick(['', 'a', 'ab', 'Log in', 'transfer', 'approve', 'fer', 'in'])
const someBytes = () =>
  pick<Hex>(['0x', '0x12', '0x1234', '0x3412', '0x00', `0x${'12'.repeat(32)}`])

function someCalldata(): { data: Hex; known: Readonly<Record<string, FieldValue>> } {
  const to = someAddress()
  const amount = small()
  const call = (selector: string) =>
    `0x${selector}${to.slice(2).padStart(64, '0')}${word(amount)}` as Hex
  const fields = ['function_name', 'transfer.to', 'transfer.amount']
  const all = (seen: FieldValue) =>
    Object.fromEntries(fields.map((field) => [`ethereum_calldata.${field}`, seen]))
  switch (below(5)) {
    case 0:
      return { data: '0x', known: all(null) }
    case 1:
      return {
        data: pick<Hex>(['0xdeadbeef', '0xa9', `${call('a9059cbb')}00`]),
        known: all(undefined),
      }
    case 2:
      return {
        data: call('095ea7b3'),
        known: { ...all(null), 'ethereum_calldata.function_name': { is: 'approve' } },
      }
    default:
      return {
        data: call('a9059cbb'),
        known: {
          'ethereum_calldata.function_name': { is: 'transfer' },
          'ethereum_calldata.transfer.to': { is: to },
          'ethereum_calldata.transfer.amount': { is: String(amount) },
        },
      }
  }
}

function someTransaction(method: 'eth_sendTransaction' | 'eth_signTransaction'): Case {
  const creates = below(6) === 0
  const unbound = below(6) === 0
  const { data, known } = someCalldata()
  const to = someAddress()
  const value = small()
  const members = {
    type: unbound ? (0 as const) : (2 as const),
    chainId: unbound ? undefined : 1n,
    nonce: small(),
    gas: small(),
    maxFeePerGas: small(),
    value,
    data: parseData(data),
    to: creates ? undefined : parseData(to),
  }
  const called = creates
    ? Object.fromEntries(Object.keys(known).map((key) => [key, undefined]))
    : known
  const of = (field: string, is: bigint | string) => ({
    [`ethereum_transaction.${field}`]: { is: String(is) },
  })
  return {
    action: { ...sendOf(members), method } as SigningAction,
    native: unbound && value > 0n ? undefined : value,
    seen: seenOf({
      ...called,
      ...of('value', value),
      ...of('data', data),
      ...of('type', BigInt(members.type)),
      ...of('nonce', members.nonce),
      ...of('gas_limit', members.gas),
      ...of('max_fee_per_gas', members.maxFeePerGas),
      ...of('max_fee', members.gas * members.maxFeePerGas),
      'ethereum_transaction.to': creates ? null : { is: to },
      'ethereum_transaction.chain_id': unbound ? undefined : { is: '1' },
      'simulation.native': { is: '5' },
      [`simulation.${TOKEN}`]: { is: '7' },
      'simulation.assets': { is: '2' },
      'simulation.success': { is: 'true' },
    }),
  }
}

function someTypedData(): Case {
  const values = {
    amount: String(small() - 50n),
    to: someAddress(),
    text: someText(),
    raw: someBytes(),
    on: below(2) === 1,
  }
  const domain: Record<string, string> = {
    name: someText(),
    version: someText(),
    chainId: pick(['1', '0x1', '99']),
    verifyingContract: someAddress(),
    salt: `0x${'12'.repeat(32)}`,
  }
  for (const member of Object.keys(domain)) if (below(6) === 0) delete domain[member]
  const other = below(5) === 0
  const types = { [other ? 'Other' : 'Note']: TYPES.types.Note }
  const seen: Record<string, FieldValue> = {}
  for (const member of ['name', 'version', 'chainId', 'verifyingContract', 'salt']) {
    const is = domain[member]
    const decimal = member === 'chainId' && is !== undefined ? String(BigInt(is)) : is
    seen[`ethereum_typed_data_domain.${member}`] =
      decimal === undefined ? undefined : { is: decimal }
  }
  for (const [member, is] of Object.entries(values)) {
    seen[`ethereum_typed_data_message.${member}`] = other ? undefined : { is: String(is) }
  }
  const typedData = { domain, types, primaryType: other ? 'Other' : 'Note', message: values }
  return { action: { method: 'eth_signTypedData_v4', typedData }, native: 0n, seen: seenOf(seen) }
}

function someCase(): Case {
  switch (below(8)) {
    case 0:
    case 1:
    case 2:
      return someTransaction(pick(['eth_sendTransaction', 'eth_signTransaction'] as const))
    case 3:
    case 4:
      return someTypedData()
    case 5: {
      const text = someText()
      const isText = below(5) > 0
      const message = isText ? new TextEncoder().encode(text) : Uint8Array.of(0xff)
      const content = isText ? { is: text } : undefined
      const seen = seenOf({
        'message.content': content,
        'message.byte_length': { is: String(message.length) },
      })
      return { action: { method: 'personal_sign', message }, native: 0n, seen }
    }
    case 6: {
      const contract = someAddress()
      const chainId = pick([0n, 1n, 99n])
      const seen = seenOf({
        'ethereum_7702_authorization.contract': { is: contract },
        'ethereum_7702_authorization.chain_id':
          chainId === 0n ? undefined : { is: String(chainId) },
      })
      const action = {
        method: 'eth_sign7702Authorization',
        chainId,
        contract: parseData(contract),
        nonce: 0n,
      } as const
      return { action, native: undefined, seen }
    }
    default: {
      const action: SigningAction =
        below(2) === 0
          ? { method: 'exportPrivateKey' }
          : { method: 'secp256k1_sign', hash: new Uint8Array(32) }
      return { action, native: undefined, seen: seenOf({}, 'unknown') }
    }
  }
}

const SAMPLES: Readonly<Record<Type, () => string>> = {
  number: () =>
    pick([
      String(small()),
      `0x${small().toString(16)}`,
      `0x00${small().toString(16)}`,
      String(NOW),
    ]),
  address: () => pick([someAddress(), `0x${someAddress().slice(2).toUpperCase()}`]),
  text: someText,
  bytes: someBytes,
  bool: () => pick(['true', 'false']),
}

function valueFor({ type, field }: Row, operator: string): string | readonly string[] {
  const names = field === 'function_name' && ['eq', 'in'].includes(operator)
  const sample = () => (names ? pick(['transfer', 'approve']) : SAMPLES[type]())
  return operator === 'in' ? Array.from({ length: below(4) }, sample) : sample()
}

const METHODS: Readonly<Record<string, readonly string[]>> = {
  eth_sendTransaction: ['ethereum_transaction', 'ethereum_calldata', 'simulation'],
  eth_signTransaction: ['ethereum_transaction', 'ethereum_calldata', 'simulation'],
  eth_signTypedData_v4: ['ethereum_typed_data_domain', 'ethereum_typed_data_message'],
  personal_sign: ['message'],
  eth_sign7702Authorization: ['ethereum_7702_authorization'],
}

function someRule(): RuleCase {
  const method = pick(RULE_METHODS)
  const action = pick(['ALLOW', 'ALLOW', 'DENY'])
  const fitting = ROWS.filter(
    ({ source }) => source === 'system' || method === '*' || METHODS[method]?.includes(source),
  )
  const conditions = Array.from({ length: below(4) }, (): ConditionCase => {
    if (below(8) === 0) {
      const operator = action === 'ALLOW' ? pick(['lt', 'lte']) : pick(['gt', 'gte'])
      const limit = String(pick([SPENT, SPENT + 1n, SPENT + 50n, SPENT + 100n]))
      return {
        source: 'spending_window',
        field: 'native',
        type: 'number',
        operator,
        value: limit,
        period: 60,
      }
    }
    const row = pick(fitting)
    const operator = pick(COMPARED[row.type])
    return { ...row, operator, value: valueFor(row, operator) }
  })
  const told = conditions.some(({ source }) => source === 'simulation')
  const known: ConditionCase = {
    source: 'ethereum_transaction',
    field: 'value',
    type: 'number',
    operator: 'gte',
    value: '0',
  }
  return { method, action, conditions: told ? [...conditions, known] : conditions }
}

const sent = ({ source, field, operator, value, more, period }: ConditionCase) => ({
  field_source: source,
  field,
  operator,
  value,
  ...more,
  ...(period !== undefined && { period }),
})
const sentRule = ({ method, action, conditions }: RuleCase) => ({
  name: 'r',
  method,
  action,
  conditions: conditions.map(sent),
})
const SIMULATED = {
  succeeds: true,
  out: new Map([
    ['native', 5n],
    [TOKEN, 7n],
  ]),
}
const members = { now: NOW, simulation: SIMULATED, windows: { spent: () => SPENT } }

/** Returns an action that has every field of a source. */
function fullCase(source: string): Case {
  for (;;) {
    const found = someCase()
    const rows = ROWS.filter((row) => row.source === source)
    if (rows.every((row) => found.seen[keyOf(row)] != null)) return found
  }
}

describe(`each field with each operator (LOCKSTEP_SEED=${seed}) is decided as by the reference:`, () => {
  test('the fields cover every source', () => {
    const sources = new Set([...ROWS.map(({ source }) => source), 'spending_window'])
    expect([...sources].sort()).toEqual([...FIELD_SOURCES].sort())
  })

  test.each(
    ROWS.flatMap((row) => OPERATORS.map((operator) => [keyOf(row), operator, row] as const)),
  )('%s %s', (key, operator, row) => {
    const compared = COMPARED[row.type].includes(operator)
    const found = fullCase(row.source)
    const { is } = found.seen[key] as Known
    const values = Array.from({ length: 20 }, () => valueFor(row, operator))
    values.push(operator === 'in' ? [is] : is)
    for (const value of values) {
      for (const does of ['ALLOW', 'DENY']) {
        const condition = { ...row, operator, value }
        const gate: ConditionCase = {
          source: 'ethereum_transaction',
          field: 'value',
          type: 'number',
          operator: 'gte',
          value: '0',
        }
        const rule: RuleCase = {
          action: does,
          method: '*',
          conditions: row.source === 'simulation' ? [condition, gate] : [condition],
        }
        const rules =
          does === 'ALLOW' ? [rule] : [{ ...rule, conditions: [], action: 'ALLOW' }, rule]
        const run = () => decide(rules.map(sentRule), found.action, members).allowed
        if (!compared)
          expect(run, `${value}`).toThrow(/does not apply to|: "|is not a string|takes no array/)
        else expect(run(), `${does} ${is} ${operator} ${value}`).toBe(allows(rules, found))
      }
    }
  })
})

describe(`random policies and actions (LOCKSTEP_SEED=${seed})`, () => {
  test('have the decision of the reference', () => {
    const counts = { allowed: 0, denied: 0 }
    for (let round = 0; round < 3000; round++) {
      const rules = Array.from({ length: below(5) }, someRule)
      const found = someCase()
      const decision = decide(rules.map(sentRule), found.action, members)
      const text = () =>
        JSON.stringify({ rules, found, decision }, (_, each) =>
          typeof each === 'bigint' ? `${each}n` : each,
        )
      expect(decision.allowed, text()).toBe(allows(rules, found))
      counts[decision.allowed ? 'allowed' : 'denied']++
    }
    expect(Math.min(counts.allowed, counts.denied)).toBeGreaterThan(150)
  })
})
