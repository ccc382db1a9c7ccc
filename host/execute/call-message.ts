import { LockstepError } from '../base/error.ts'
import type { AccessListEntry, Authorization, TransactionType } from '../chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../engine/message.ts'

/** A call, decoded. What is undefined the caller left open. */
export interface CallArguments {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  /** For a legacy gas price both caps hold it. */
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

/** What the block pretends to be. */
export interface BlockOverride {
  readonly number: bigint | undefined
  readonly timestamp: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  readonly baseFee: bigint | undefined
  readonly blobBaseFee: bigint | undefined
}

/** A call as the engine takes it. */
export interface CallMessage {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** The request names a gas price, so that funds and base fee count. */
  readonly priced: boolean
  /** Most gas that the call may have. */
  readonly maxGas: bigint
}

const smaller = (a: bigint, b: bigint) => (a > b ? b : a)

/** The call in a block, with `nonce` and `gasCap` where it names none; more gas it does not get. */
export function callMessage(
  request: CallArguments,
  env: BlockEnv,
  nonce: bigint,
  gasCap: bigint,
): CallMessage {
  const maxGas = smaller(gasCap, env.gasLimit)
  const input = callInput(request, nonce, smaller(request.gas ?? maxGas, maxGas))
  const priced = input.maxFeePerGas > 0n || input.maxPriorityFeePerGas > 0n
  // A call that offers nothing sees a base fee of nothing, so that GASPRICE is not below it.
  return { input, env: priced ? env : { ...env, baseFee: 0n }, priced, maxGas }
}

/**
 * A block's environment as the overrides have it.
 * @throws INVALID_ARGUMENT for a number that is out of range.
 */
export function overriddenEnv(env: BlockEnv, override: BlockOverride | undefined): BlockEnv {
  if (override === undefined) return env
  return {
    ...env,
    number: readNumber(override.number, env.number, 'number'),
    timestamp: readNumber(override.timestamp, Number(env.timestamp), 'time'),
    gasLimit: override.gasLimit ?? env.gasLimit,
    coinbase: override.coinbase ?? env.coinbase,
    prevRandao: override.prevRandao ?? env.prevRandao,
    baseFee: override.baseFee ?? env.baseFee,
    blobBaseFee: override.blobBaseFee ?? env.blobBaseFee,
  }
}

function readNumber(value: bigint | undefined, fallback: number, name: string): number {
  if (value === undefined) return fallback
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new LockstepError('INVALID_ARGUMENT', `block override ${name} ${value} is out of range`)
  }
  return Number(value)
}

function typeOf(request: CallArguments): TransactionType {
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
