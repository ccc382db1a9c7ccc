import { LockstepError } from '../../../base/error.ts'
import type { BlockHeader } from '../../chain-types/block.ts'
import { TRANSACTION_GAS } from '../../chain-types/generated/gas.ts'
import type {
  AccessListEntry,
  Authorization,
  TransactionType,
} from '../../chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../../engine/message.ts'

/** A decoded call. The caller left undefined fields open. */
export interface CallArguments {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  /** The legacy gas price, if the call names one. Both caps hold it too. */
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

/** The fields of the block that a simulation replaces. */
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
  /** The request names a gas price, so the sender's funds and the base fee count. */
  readonly priced: boolean
  /** The request names a legacy gas price. */
  readonly isLegacy: boolean
  /**
   * Most gas that an estimate tries: the gas that the request names, else as much as a block and the cap
   * allow.
   */
  readonly maxGas: bigint
}

const smaller = (a: bigint, b: bigint) => (a > b ? b : a)

/** Gas that a simulation on a block has at most: `gasCap`, or for 0 the gas limit of the block. */
export function simulationCap(gasCap: bigint, { gasLimit }: BlockHeader): bigint {
  return gasCap === 0n ? gasLimit : gasCap
}

/**
 * The error for a call that asks for more gas than simulations get. Its gas is not cut: with less the call
 * might fail for that alone.
 */
export function gasAboveCap(asked: bigint, cap: bigint): LockstepError {
  const key = 'evm.simulation_gas_limit'
  const text = `gas ${asked} is above the cap of ${cap} for simulations (${key})`
  return new LockstepError('LIMIT_EXCEEDED', text, {
    data: { key, limit: cap, gas: asked },
    hint: `ask for less gas, or raise ${key} of the node`,
  })
}

/** @throws CALL_CONTRADICTS for a creation with blobs or delegations, which no transaction can be. */
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
 * The call in a block, with `nonce` and all the gas of the cap where it names none.
 * @throws LIMIT_EXCEEDED where it names more gas than the cap, and as `checkCreation`.
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
  const priced = input.maxFeePerGas > 0n || input.maxPriorityFeePerGas > 0n
  // A call that offers nothing sees a base fee of nothing, so that GASPRICE is not below it. So do blobs.
  const { baseFee, blobBaseFee } = env
  const paysBlobs = request.blobHashes === undefined || input.maxFeePerBlobGas > 0n
  const fees = {
    baseFee: priced ? baseFee : 0n,
    blobBaseFee: paysBlobs ? blobBaseFee : 0n,
  }
  const isLegacy = request.gasPrice !== undefined
  return { input, env: { ...env, ...fees }, priced, isLegacy, maxGas }
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
  // A list of no blobs is refused, whatever else the call has
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
