import { LockstepError } from '../../../base/error.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import { TRANSACTION_GAS } from '../../chain-types/generated/gas.ts'
import type {
  AccessListEntry,
  Authorization,
  TransactionType,
} from '../../chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../../engine/message.ts'

/** A decoded call. Undefined fields were not given. */
export interface CallArguments {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  /** Legacy gas price, if given. Both caps then hold it too. */
  readonly gasPrice?: bigint | undefined
  readonly maxFeePerGas: bigint | undefined
  readonly maxPriorityFeePerGas: bigint | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly nonce: bigint | undefined
  readonly accessList: readonly AccessListEntry[] | undefined
  readonly authorizations: readonly Authorization[] | undefined
  readonly maxFeePerBlobGas: bigint | undefined
  readonly blobHashes: readonly Uint8Array[] | undefined
}

/** Block fields that a simulation overrides. */
export interface BlockOverride {
  readonly number: bigint | undefined
  readonly timestamp: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  readonly baseFee: bigint | undefined
  readonly blobBaseFee: bigint | undefined
}

/** A call for the engine. */
export interface CallMessage {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** True if the request has a price of gas or of blob gas, so that funds and fees are checked. */
  readonly priced: boolean
  /** True if the request has a legacy gas price. */
  readonly isLegacy: boolean
  /** Maximum gas for an estimate: the request's gas, else the lower of block limit and cap. */
  readonly maxGas: bigint
}

const smaller = (a: bigint, b: bigint) => (a > b ? b : a)

/** Returns the gas cap of a simulation: `gasCap`, or the block's gas limit if it is 0. */
export function simulationCap(gasCap: bigint, { gasLimit }: BlockHeader): bigint {
  return gasCap === 0n ? gasLimit : gasCap
}

/**
 * Returns the error for a call with more gas than the cap. The gas is not reduced, as the call might then fail for
 * that reason alone.
 */
export function gasAboveCap(asked: bigint, cap: bigint): LockstepError {
  const key = 'evm.simulation_gas_limit'
  const text = `gas ${asked} is above the cap of ${cap} for simulations (${key})`
  return new LockstepError('LIMIT_EXCEEDED', text, {
    data: { key, limit: cap, gas: asked },
    hint: `ask for less gas, or raise ${key} of the node`,
  })
}

/** @throws CALL_CONTRADICTS if the call is a creation with blobs or delegations, which no transaction can be. */
export function checkCreation({ to, blobHashes, authorizations }: CallArguments): void {
  if (to !== undefined) return
  if (blobHashes !== undefined) {
    throw new LockstepError('CALL_CONTRADICTS', 'blob transaction of type create')
  }
  if (authorizations !== undefined) {
    const text = 'EIP-7702 transaction cannot be used to create contract'
    throw new LockstepError('CALL_CONTRADICTS', text)
  }
}

/**
 * Returns the call for a block. By default it has the given `nonce` and all gas of the cap.
 * @throws LIMIT_EXCEEDED if its gas exceeds the cap; also like `checkCreation`.
 */
export function callMessage(
  request: CallArguments,
  env: BlockEnv,
  nonce: bigint,
  cap: bigint,
): CallMessage {
  checkCreation(request)
  if (request.gas !== undefined && request.gas > cap) throw gasAboveCap(request.gas, cap)
  const isNamed = request.gas !== undefined && request.gas >= TRANSACTION_GAS
  const maxGas = isNamed ? request.gas : smaller(cap, env.gasLimit)
  const input = callInput(request, nonce, request.gas ?? cap)
  const hasGasPrice = input.maxFeePerGas > 0n || input.maxPriorityFeePerGas > 0n
  // A call without a gas price sees a base fee of 0, so that GASPRICE is not below it. The same holds for blobs.
  const { baseFee, blobBaseFee } = env
  const hasBlobs = request.blobHashes !== undefined
  const hasBlobPrice = hasBlobs && input.maxFeePerBlobGas > 0n
  const fees = {
    baseFee: hasGasPrice ? baseFee : 0n,
    blobBaseFee: hasBlobs && !hasBlobPrice ? 0n : blobBaseFee,
  }
  const priced = hasGasPrice || hasBlobPrice
  const isLegacy = request.gasPrice !== undefined
  return { input, env: { ...env, ...fees }, priced, isLegacy, maxGas }
}

/**
 * Returns a block's environment with the overrides.
 * @throws INVALID_ARGUMENT if a number is out of range.
 */
export function overriddenEnv(env: BlockEnv, override: BlockOverride | undefined): BlockEnv {
  if (override === undefined) return env
  return {
    ...env,
    number: readNumber(override.number, env.number),
    timestamp: override.timestamp ?? env.timestamp,
    gasLimit: override.gasLimit ?? env.gasLimit,
    coinbase: override.coinbase ?? env.coinbase,
    prevRandao: override.prevRandao ?? env.prevRandao,
    baseFee: override.baseFee ?? env.baseFee,
    blobBaseFee: override.blobBaseFee ?? env.blobBaseFee,
  }
}

function readNumber(value: bigint | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new LockstepError('INVALID_ARGUMENT', `block override number ${value} is out of range`)
  }
  return Number(value)
}

function typeOf(request: CallArguments): TransactionType {
  // An empty list of blobs is rejected, so it determines the type.
  if (request.blobHashes?.length === 0) return 3
  if (request.authorizations !== undefined) return 4
  if (request.blobHashes !== undefined) return 3
  if (request.maxFeePerGas !== request.maxPriorityFeePerGas) return 2
  return request.accessList === undefined ? 0 : 1
}

function callInput(request: CallArguments, nonce: bigint, gas: bigint): TransactionInput {
  return {
    type: typeOf(request),
    from: request.from,
    to: request.to,
    nonce: request.nonce ?? nonce,
    gas,
    maxFeePerGas: request.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? 0n,
    value: request.value,
    data: request.data,
    accessList: request.accessList ?? [],
    authorizations: request.authorizations ?? [],
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
    blobHashes: request.blobHashes ?? [],
  }
}
