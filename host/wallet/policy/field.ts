import type { UnsignedTransaction } from '../../evm/chain-types/transaction-codec.ts'
import type { ApiCondition, FieldSource, RuleMethod } from '../protocol/policy-shapes.ts'
import { type AbiFunctions, calldataField, parseAbi } from './calldata.ts'
import type { SimulatedOutflow } from './decision.ts'
import {
  absent,
  type Context,
  fromSimulation,
  ofOtherAction,
  once,
  openReading,
  type Reading,
  unknown,
  value,
} from './reading.ts'
import { ruleProblem, shown } from './rule-problem.ts'
import { bytesScalar, parseAddressText, type ScalarType, textOf } from './scalar.ts'
import { maxFee } from './spending.ts'
import { DOMAIN_FIELDS, domainReader, messageField, parseRuleTypes } from './typed-data.ts'

/** A field that conditions read. */
export interface Field {
  readonly type: ScalarType
  /** `isSigned`: the value may be negative. `length`: bytes of a fixed-length value. */
  readonly isSigned?: boolean
  readonly length?: number
  /** The only possible values. */
  readonly known?: readonly string[]
  read(context: Context): Reading
}

const TRANSACTIONS: readonly RuleMethod[] = ['eth_sendTransaction', 'eth_signTransaction', '*']

/**
 * Methods with the fields of a source. In a rule for another method, a condition on them could never decide anything.
 */
export const SOURCE_METHODS: Readonly<Record<FieldSource, readonly RuleMethod[] | undefined>> = {
  ethereum_transaction: TRANSACTIONS,
  ethereum_calldata: TRANSACTIONS,
  ethereum_typed_data_domain: ['eth_signTypedData_v4', '*'],
  ethereum_typed_data_message: ['eth_signTypedData_v4', '*'],
  ethereum_7702_authorization: ['eth_sign7702Authorization', '*'],
  message: ['personal_sign', '*'],
  system: undefined,
  spending_window: undefined,
  simulation: TRANSACTIONS,
}

type Plain = Readonly<Record<string, Field>>

function ofTransaction(
  type: ScalarType,
  read: (transaction: UnsignedTransaction, context: Context) => Reading,
): Field {
  return {
    type,
    read: (context) => {
      const { action } = context.question
      return 'transaction' in action
        ? read(action.transaction, context)
        : ofOtherAction(context, 'transaction')
    },
  }
}

const TRANSACTION: Plain = {
  // A creation has no recipient: it matches neither allowed nor denied ones.
  to: ofTransaction('address', ({ to }) =>
    to === undefined ? absent('a contract creation has no to') : value(bytesScalar(to)),
  ),
  value: ofTransaction('integer', (transaction) => value(transaction.value)),
  data: ofTransaction('bytes', ({ data }, context) =>
    value(once(context, data, () => bytesScalar(data))),
  ),
  // Without a chain id it is valid on every chain (before EIP-155).
  chain_id: ofTransaction('integer', ({ chainId }) =>
    chainId === undefined ? unknown('the transaction is not bound to a chain') : value(chainId),
  ),
  type: ofTransaction('integer', ({ type }) => value(BigInt(type))),
  nonce: ofTransaction(
    'integer',
    ({ nonce }, context) => openReading(context, 'nonce') ?? value(nonce),
  ),
  gas_limit: ofTransaction(
    'integer',
    ({ gas }, context) => openReading(context, 'gas') ?? ofGas(context, value(gas)),
  ),
  max_fee_per_gas: ofTransaction(
    'integer',
    ({ maxFeePerGas }, context) => openReading(context, 'fees') ?? value(maxFeePerGas),
  ),
  max_fee: ofTransaction(
    'integer',
    (transaction, context) =>
      openReading(context, 'gas', 'fees') ?? ofGas(context, value(maxFee(transaction))),
  ),
}

function ofGas({ question }: Context, reading: Reading): Reading {
  return question.isGasTried === true ? fromSimulation(reading) : reading
}

const DOMAIN: Plain = Object.fromEntries(
  Object.entries(DOMAIN_FIELDS).map(([member, type]) => [
    member,
    { type, read: domainReader(member) },
  ]),
)

function ofMessage(
  type: ScalarType,
  read: (message: Uint8Array, context: Context) => Reading,
): Field {
  return {
    type,
    read: (context) => {
      const { action } = context.question
      return action.method === 'personal_sign'
        ? read(action.message, context)
        : ofOtherAction(context, 'message')
    },
  }
}

function ofAuthorization(
  type: ScalarType,
  read: (action: { chainId: bigint; contract: Uint8Array }) => Reading,
): Field {
  return {
    type,
    read: (context) => {
      const { action } = context.question
      return action.method === 'eth_sign7702Authorization'
        ? read(action)
        : ofOtherAction(context, 'authorization')
    },
  }
}

/** Problem of a condition on a simulation that was not made. */
const NOT_SIMULATED = 'no simulation was made'

function ofSimulation(type: ScalarType, read: (simulation: SimulatedOutflow) => Reading): Field {
  return {
    type,
    read: (context) => {
      const { action, simulation } = context.question
      if (!('transaction' in action)) return ofOtherAction(context, 'simulation')
      if (simulation === undefined) {
        return openReading(context, 'simulation') ?? unknown(NOT_SIMULATED)
      }
      if (type === 'integer' && !simulation.succeeds)
        return fromSimulation(unknown('the simulation fails'))
      return fromSimulation(read(simulation))
    },
  }
}

const FIELDS: Readonly<Partial<Record<FieldSource, Plain>>> = {
  ethereum_transaction: TRANSACTION,
  ethereum_typed_data_domain: DOMAIN,
  ethereum_7702_authorization: {
    contract: ofAuthorization('address', ({ contract }) => value(bytesScalar(contract))),
    // 0 means every chain (EIP-7702), which no rule can name.
    chain_id: ofAuthorization('integer', ({ chainId }) =>
      chainId === 0n ? unknown('the authorization is valid on every chain') : value(chainId),
    ),
  },
  message: {
    content: ofMessage('text', (message, context) => {
      const text = once(context, message, () => textOf(message))
      return text === undefined ? unknown('the message is not UTF-8') : value(text)
    }),
    byte_length: ofMessage('integer', (message) => value(BigInt(message.length))),
  },
  simulation: {
    success: ofSimulation('bool', ({ succeeds }) => value(String(succeeds))),
    native: ofSimulation('integer', ({ out }) => value(out.get('native') ?? 0n)),
    assets: ofSimulation('integer', ({ out }) => value(BigInt(out.size))),
  },
  system: {
    current_unix_timestamp: {
      type: 'integer',
      read: ({ question }) => value(BigInt(Math.floor(question.now))),
    },
  },
}

/** Alternative spellings of fields used by SDKs. */
const SPELLINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ethereum_transaction: { chainId: 'chain_id', gasLimit: 'gas_limit' },
  ethereum_typed_data_domain: { chain_id: 'chainId', verifying_contract: 'verifyingContract' },
  ethereum_7702_authorization: { chainId: 'chain_id' },
}

/** Returns the canonical spelling of a field. */
export function fieldName(source: FieldSource, field: string): string {
  const spellings = SPELLINGS[source] ?? {}
  if (Object.hasOwn(spellings, field)) return spellings[field] as string
  const isAsset = source === 'spending_window' || source === 'simulation'
  return (isAsset ? parseAddressText(field) : undefined) ?? field
}

/** Parsed ABIs, so that conditions with equal ABIs share one. */
export type ParsedAbis = Map<string, AbiFunctions>

function abiOf(condition: ApiCondition, place: string, book: ParsedAbis): AbiFunctions {
  const key = JSON.stringify(condition.abi) ?? ''
  const known = book.get(key)
  const functions = known ?? parseAbi(condition.abi, `${place}.abi`)
  book.set(key, functions)
  return functions
}

/** @throws INVALID_ARGUMENT if the source has no such field */
export function findField(condition: ApiCondition, place: string, book: ParsedAbis): Field {
  const source = condition.field_source
  const { field } = condition
  const at = `${place}.field`
  if (source === 'ethereum_calldata') {
    const functions = abiOf(condition, place, book)
    const found = calldataField(field, functions, at)
    const leaves = [...found.paths.values()].map(({ leaf }) => leaf)
    const names = [...functions.values()].map(({ name }) => name)
    return {
      type: found.type,
      isSigned: leaves.some(({ kind }) => kind === 'int'),
      ...(leaves[0]?.kind === 'word' && leaves.length === 1 && { length: leaves[0].length }),
      ...(field === 'function_name' && { known: [...new Set(names)] }),
      read: found.read,
    }
  }
  if (source === 'ethereum_typed_data_message') {
    const types = parseRuleTypes(condition.typed_data, `${place}.typed_data`)
    const { path, type, read } = messageField(field, types, at)
    return {
      type,
      isSigned: path.leaf.kind === 'int',
      ...(path.leaf.kind === 'word' && { length: path.leaf.length }),
      read,
    }
  }
  const fields = FIELDS[source] ?? {}
  if (Object.hasOwn(fields, field)) return fields[field] as Field
  const token = source === 'simulation' ? parseAddressText(field) : undefined
  if (token !== undefined) return ofSimulation('integer', ({ out }) => value(out.get(token) ?? 0n))
  const names = Object.keys(fields).join(', ')
  const hint = `write one of ${names}${source === 'simulation' ? ', or the address of a token' : ''}`
  throw ruleProblem(at, `${source} has no field ${shown(field)}`, hint)
}
