/** Methods that a rule may be about; `*` is each of them. */
export const RULE_METHODS = [
  'eth_sendTransaction',
  'eth_signTransaction',
  'eth_signTypedData_v4',
  'personal_sign',
  'secp256k1_sign',
  'eth_sign7702Authorization',
  'exportPrivateKey',
  '*',
] as const

export type RuleMethod = (typeof RULE_METHODS)[number]

export const OPERATORS = [
  'eq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'starts_with',
  'ends_with',
] as const

export type Operator = (typeof OPERATORS)[number]

export const FIELD_SOURCES = [
  'ethereum_transaction',
  'ethereum_calldata',
  'ethereum_typed_data_domain',
  'ethereum_typed_data_message',
  'ethereum_7702_authorization',
  'message',
  'system',
  'spending_window',
  'simulation',
] as const

export type FieldSource = (typeof FIELD_SOURCES)[number]

/** The operand order is: field operator value. Input may be in camel case too. */
export interface Condition {
  readonly field_source: FieldSource
  readonly field: string
  readonly operator: Operator
  /** Amounts as decimal or 0x-hex integers of wei. An array for `in`. */
  readonly value: string | readonly string[]
  /** JSON ABI, of ethereum_calldata. */
  readonly abi?: readonly unknown[]
  /** EIP-712 types, of ethereum_typed_data_message. */
  readonly typed_data?: unknown
  /** Seconds, of spending_window. */
  readonly period?: number
}

export interface Rule {
  readonly id: string
  readonly name: string
  readonly method: RuleMethod
  readonly action: 'ALLOW' | 'DENY'
  /** All of them must hold; none hold always. */
  readonly conditions: readonly Condition[]
}

/** What is allowed: nothing that no rule allows, and nothing that a rule denies. */
export interface Policy {
  readonly id: string
  readonly version: '1.0'
  readonly name: string
  readonly chain_type: 'ethereum'
  readonly rules: readonly Rule[]
  readonly owner_id: string | null
  readonly created_at: number
}
