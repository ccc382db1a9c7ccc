/** Methods that a rule can apply to. `*` applies to all. */
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

export type ConditionOperator = (typeof OPERATORS)[number]

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

/** Evaluated as: field operator value. Input may also be in camel case. */
export interface ApiCondition {
  readonly field_source: FieldSource
  readonly field: string
  readonly operator: ConditionOperator
  /** Amounts in wei, as decimal or 0x-hex integers. An array for `in`. */
  readonly value: string | readonly string[]
  /** JSON ABI, for ethereum_calldata. */
  readonly abi?: readonly unknown[]
  /** EIP-712 types, for ethereum_typed_data_message. */
  readonly typed_data?: unknown
  /** Seconds, for spending_window. */
  readonly period?: number
}

export interface ApiRule {
  readonly id: string
  readonly name: string
  readonly method: RuleMethod
  readonly action: 'ALLOW' | 'DENY'
  /** All of them must hold. An empty list always holds. */
  readonly conditions: readonly ApiCondition[]
}

/** An action is allowed if a rule allows it and no rule denies it. */
export interface ApiPolicy {
  readonly id: string
  readonly version: '1.0'
  readonly name: string
  readonly chain_type: 'ethereum'
  readonly rules: readonly ApiRule[]
  readonly owner_id: string | null
  readonly created_at: number
}
