import { equalBytes } from '../../base/bytes.ts'
import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import type { UnsignedTransaction } from '../../evm/chain-types/transaction-codec.ts'
import { type AbiFunctions, decodeCall, parseAbi } from './calldata.ts'
import type { PolicyQuestion } from './decision.ts'
import { bytesScalar, type PolicyScalar, parseAddressText, type ScalarType } from './scalar.ts'
import type { ActionTypedData } from './signing-action.ts'
import { encodeType, readDomain, readMessageValues, structOf } from './typed-data.ts'
import { findPath } from './value-path.ts'

/** What a window counts: wei sent, wei sent plus the maximum fee, or units of an ERC-20 token. */
export type Asset = 'native' | 'native_with_fee' | Hex

export function parseAsset(field: string): Asset | undefined {
  return field === 'native' || field === 'native_with_fee' ? field : parseAddressText(field)
}

/** What leaves the wallet on one chain. */
export interface Spending {
  readonly amount: bigint
  readonly chainId: bigint
}

const NOTHING: Spending = { amount: 0n, chainId: 0n }
const GAS_PER_BLOB = 131072n
const EVERYTHING = (1n << 256n) - 1n

/** Returns the maximum fee in wei, including blob gas (EIP-4844). */
export function maxFee(
  transaction: Pick<
    UnsignedTransaction,
    'gas' | 'maxFeePerGas' | 'maxFeePerBlobGas' | 'blobHashes'
  >,
): bigint {
  const { gas, maxFeePerGas, maxFeePerBlobGas, blobHashes } = transaction
  return gas * maxFeePerGas + BigInt(blobHashes.length) * GAS_PER_BLOB * maxFeePerBlobGas
}

/** Indexes of the arguments of a function that moves tokens. */
interface SpendingArguments {
  readonly amount?: number
  /** The owner of the tokens: those of another owner are not counted. */
  readonly owner?: number
  readonly token?: number
}

function abiOf(signatures: Readonly<Record<string, SpendingArguments>>): {
  readonly functions: AbiFunctions
  readonly outlets: Readonly<Record<string, SpendingArguments>>
} {
  const abi = Object.keys(signatures).map((signature) => {
    const [name, types = ''] = signature.slice(0, -1).split('(')
    return { type: 'function', name, inputs: types.split(',').map((type) => ({ type })) }
  })
  return { functions: parseAbi(abi, 'abi'), outlets: signatures }
}

/**
 * Token functions that move the wallet's tokens, now or later: an allowance counts in full when it is given.
 * Functions that execute a signed message count nothing: the message was counted when it was signed.
 */
const TOKEN = abiOf({
  'transfer(address,uint256)': { amount: 1 },
  'transferFrom(address,address,uint256)': { amount: 2, owner: 0 },
  'approve(address,uint256)': { amount: 1 },
  'increaseAllowance(address,uint256)': { amount: 1 },
  'decreaseAllowance(address,uint256)': {},
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': {},
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)':
    {},
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)': {},
  'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)':
    {},
  'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)': {},
})

/** Permit2 has the same address on every chain. */
const PERMIT2: Hex = '0x000000000022d473030f116ddee9f6b43ac78ba3'
const PERMIT2_CALLS = abiOf({
  'approve(address,address,uint160,uint48)': { token: 0, amount: 2 },
  'transferFrom(address,address,uint160,address)': { token: 3, amount: 2, owner: 0 },
})

/**
 * Signed messages that tokens accept (ERC-2612, Dai, EIP-3009), with the member that has the amount; undefined for
 * nothing.
 */
const TOKEN_MESSAGES: Readonly<Record<string, string | undefined>> = {
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)': 'value',
  'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)': 'allowed',
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)':
    'value',
  'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)':
    'value',
  'CancelAuthorization(address authorizer,bytes32 nonce)': undefined,
}

/** Paths of tokens and amounts in Permit2 messages. A message must have exactly one of them. */
const PERMIT2_LISTS = ['details', 'details[*]', 'permitted', 'permitted[*]']

/** Returns what an action lets out of the wallet, or the reason why that is unknown. */
export function spendingOf(asset: Asset, question: PolicyQuestion): Spending | string {
  const { action } = question
  switch (action.method) {
    case 'personal_sign':
      return NOTHING
    case 'eth_signTypedData_v4':
      return typedDataSpending(asset, action.typedData, question)
    case 'eth_sendTransaction':
    case 'eth_signTransaction':
      return transactionSpending(asset, action.transaction, question)
    default:
      return `${action.method} may let out anything`
  }
}

function transactionSpending(
  asset: Asset,
  transaction: UnsignedTransaction,
  { wallet }: PolicyQuestion,
): Spending | string {
  const { to, data, chainId } = transaction
  // Code at the wallet's own address acts as the wallet (EIP-7702).
  if (to !== undefined && data.length > 0 && equalBytes(to, wallet)) {
    return 'a call of the wallet itself may let out anything'
  }
  const amount = amountOf(asset, transaction, wallet)
  if (typeof amount === 'string') return amount
  if (amount === 0n) return NOTHING
  return chainId === undefined ? 'the transaction is not bound to a chain' : { amount, chainId }
}

function amountOf(
  asset: Asset,
  transaction: UnsignedTransaction,
  wallet: Uint8Array,
): bigint | string {
  const { to, data, value } = transaction
  if (asset === 'native') return value
  if (asset === 'native_with_fee') return value + maxFee(transaction)
  const contract = to === undefined ? undefined : bytesScalar(to)
  if (contract !== asset && contract !== PERMIT2) return 0n
  const { functions, outlets } = contract === asset ? TOKEN : PERMIT2_CALLS
  const call = decodeCall(functions, data)
  if (call.kind === 'empty') return 0n
  if (call.kind === 'undecodable') {
    return data.length < 4
      ? call.problem
      : `it is unknown what function ${bytesScalar(data.subarray(0, 4))} of ${contract} lets out`
  }
  const { amount, owner, token } = lookup(outlets, call.method.signature) as SpendingArguments
  if (token !== undefined && call.values[token] !== asset) return 0n
  if (owner !== undefined && call.values[owner] !== bytesScalar(wallet)) return 0n
  return amount === undefined ? 0n : (call.values[amount] as bigint)
}

function typedDataSpending(
  asset: Asset,
  typedData: ActionTypedData,
  { wallet }: PolicyQuestion,
): Spending | string {
  const contract = readDomain(typedData, 'verifyingContract')
  const verifier = contract.kind === 'values' ? contract.values[0] : undefined
  if (verifier === bytesScalar(wallet)) {
    return 'a message for the wallet itself may let out anything'
  }
  if (asset === 'native' || asset === 'native_with_fee') return NOTHING
  if (contract.kind !== 'values') return contract.problem
  if (verifier !== asset && verifier !== PERMIT2) return NOTHING
  const amount =
    verifier === asset ? tokenMessageAmount(typedData) : permit2MessageAmount(asset, typedData)
  if (typeof amount === 'string') return amount
  if (amount === 0n) return NOTHING
  const chain = readDomain(typedData, 'chainId')
  if (chain.kind !== 'values') return chain.problem
  return { amount, chainId: chain.values[0] as bigint }
}

function unknownMessage({ primaryType }: ActionTypedData): string {
  return `it is unknown what a message ${JSON.stringify(primaryType)} lets out`
}

function valuesAt(
  typedData: ActionTypedData,
  field: string,
  type: ScalarType,
): readonly PolicyScalar[] | undefined {
  const struct = structOf(typedData.types, typedData.primaryType)
  const path = struct === undefined ? '' : findPath(field, struct.members)
  if (typeof path === 'string' || path.type !== type) return undefined
  return readMessageValues(typedData.message, path)
}

function tokenMessageAmount(typedData: ActionTypedData): bigint | string {
  const encoded = encodeType(typedData.types, typedData.primaryType) ?? ''
  if (!Object.hasOwn(TOKEN_MESSAGES, encoded)) return unknownMessage(typedData)
  const member = lookup(TOKEN_MESSAGES, encoded)
  if (member === undefined) return 0n
  const type = member === 'allowed' ? 'bool' : 'integer'
  const [amount] = valuesAt(typedData, member, type) ?? []
  if (amount === undefined) return unknownMessage(typedData)
  if (typeof amount === 'bigint') return amount
  return amount === 'true' ? EVERYTHING : 0n
}

function permit2MessageAmount(asset: Asset, typedData: ActionTypedData): bigint | string {
  if (encodeType(typedData.types, typedData.primaryType) === undefined) {
    return unknownMessage(typedData)
  }
  const found = PERMIT2_LISTS.flatMap((list) => {
    const tokens = valuesAt(typedData, `${list}.token`, 'address')
    const amounts = valuesAt(typedData, `${list}.amount`, 'integer')
    return tokens === undefined || amounts === undefined ? [] : [{ tokens, amounts }]
  })
  const [one] = found
  if (one === undefined || found.length > 1) return unknownMessage(typedData)
  return one.tokens.reduce<bigint>(
    (sum, token, at) => (token === asset ? sum + (one.amounts[at] as bigint) : sum),
    0n,
  )
}
