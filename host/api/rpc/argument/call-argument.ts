import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { lookup } from '../../../base/lookup.ts'
import type { AccessListEntry, Authorization } from '../../../evm/chain-types/transaction.ts'
import type { BlockOverride, CallArguments } from '../../../evm/execute/simulate/call-message.ts'
import type { AccountOverride, SlotOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import { knownMembers } from './known-members.ts'
import {
  ADDRESS_TYPE,
  asArray,
  asObject,
  DATA,
  HASHES,
  type JsonArgument,
  member,
  type ParamType,
  QUANTITY,
  SLOT_TYPE,
  UINT64,
} from './parameter.ts'

const NO_ADDRESS = new Uint8Array(20)

/** A decoded call object. Its chain id is not checked yet. */
export interface CallArgument extends CallArguments {
  readonly chainId: bigint | undefined
  /** Set if the object has a gas price and an EIP-1559 cap, which `checkPrices` rejects. */
  readonly mixesPrices: true | undefined
}

function invalid(message: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message)
}

/** Valid members that contradict each other: geth rejects the call rather than the argument. */
function refused(message: string): LockstepError {
  return new LockstepError('CALL_CONTRADICTS', message)
}

/** geth's message; `type` is its name for the object. */
function missing(name: string, type: string): LockstepError {
  return invalid(`missing required field '${name}' for ${type}`)
}

const ACCESS_LIST: ParamType<readonly AccessListEntry[]> = {
  label: 'access list',
  decode: (value) =>
    asArray(value, 'an access list').map((item) => {
      const entry = asObject(item, 'an access list entry')
      const address = member(entry, 'address', ADDRESS_TYPE)
      const storageKeys = member(entry, 'storageKeys', HASHES)
      if (address === undefined) throw missing('address', 'AccessTuple')
      if (storageKeys === undefined) throw missing('storageKeys', 'AccessTuple')
      return { address, storageKeys }
    }),
}

function need(object: JsonArgument, name: string, type: ParamType<bigint> = QUANTITY): bigint {
  const value = member(object, name, type)
  if (value === undefined) throw missing(name, 'SetCodeAuthorization')
  return value
}

const AUTHORIZATIONS: ParamType<readonly Authorization[]> = {
  label: 'authorization list',
  decode: (value) =>
    asArray(value, 'an authorization list').map((item) => {
      const entry = asObject(item, 'an authorization')
      const chainId = need(entry, 'chainId')
      const address = member(entry, 'address', ADDRESS_TYPE)
      if (address === undefined) throw missing('address', 'SetCodeAuthorization')
      return {
        chainId,
        address,
        nonce: need(entry, 'nonce', UINT64),
        yParity: member(entry, 'yParity', PARITY) ?? need(entry, 'v', PARITY),
        r: need(entry, 'r'),
        s: need(entry, 's'),
      }
    }),
}

const PARITY: ParamType<bigint> = {
  label: 'parity',
  decode: (value) => {
    const parity = UINT64.decode(value)
    if (parity > 1n) throw invalid("'yParity' field must be 0 or 1")
    return parity
  },
}

function decodeFees(object: JsonArgument) {
  const gasPrice = member(object, 'gasPrice', QUANTITY)
  const maxFeePerGas = member(object, 'maxFeePerGas', QUANTITY)
  const maxPriorityFeePerGas = member(object, 'maxPriorityFeePerGas', QUANTITY)
  if (gasPrice === undefined) {
    return { gasPrice, maxFeePerGas, maxPriorityFeePerGas, mixesPrices: undefined }
  }
  const isMixed = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
  return {
    gasPrice,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    mixesPrices: isMixed ? (true as const) : undefined,
  }
}

/** The call object of eth_call and similar methods. */
export const CALL: ParamType<CallArgument> = {
  label: 'call object',
  decode: (value) => {
    const object = asObject(value, 'a call object')
    const data = member(object, 'data', DATA)
    const input = member(object, 'input', DATA)
    return {
      from: member(object, 'from', ADDRESS_TYPE) ?? NO_ADDRESS,
      to: member(object, 'to', ADDRESS_TYPE),
      gas: member(object, 'gas', UINT64),
      ...decodeFees(object),
      value: member(object, 'value', QUANTITY) ?? 0n,
      // `input` is the newer name and takes precedence.
      data: input ?? data ?? EMPTY_BYTES,
      nonce: member(object, 'nonce', UINT64),
      accessList: member(object, 'accessList', ACCESS_LIST),
      authorizations: member(object, 'authorizationList', AUTHORIZATIONS),
      maxFeePerBlobGas: member(object, 'maxFeePerBlobGas', QUANTITY),
      blobHashes: member(object, 'blobVersionedHashes', HASHES),
      chainId: member(object, 'chainId', QUANTITY),
    }
  },
}

const SLOTS: ParamType<readonly SlotOverride[]> = {
  label: 'slots',
  decode: (value) =>
    Object.entries(asObject(value, 'an object of slots')).map(([slot, word]) => ({
      slot: SLOT_TYPE.decode(slot),
      value: SLOT_TYPE.decode(word),
    })),
}

const ACCOUNT_MEMBERS = [
  'nonce',
  'balance',
  'code',
  'state',
  'stateDiff',
  'movePrecompileToAddress',
]

/** @param isStrict true to refuse unknown members, as only eth_simulateV1 does */
function decodeStateOverrides(value: unknown, isStrict: boolean): readonly AccountOverride[] {
  return Object.entries(asObject(value, 'state overrides')).map(([key, item]) => {
    const given = asObject(item, 'an account override')
    const address = ADDRESS_TYPE.decode(key)
    const what = `state override for ${formatData(address)}`
    const account = isStrict ? knownMembers(given, ACCOUNT_MEMBERS, what) : given
    const state = member(account, 'state', SLOTS)
    const stateDiff = member(account, 'stateDiff', SLOTS)
    return {
      address,
      nonce: member(account, 'nonce', UINT64),
      balance: member(account, 'balance', QUANTITY),
      code: member(account, 'code', DATA),
      state,
      stateDiff,
      movePrecompileTo: member(account, 'movePrecompileToAddress', ADDRESS_TYPE),
    }
  })
}

/** State overrides by address (geth). */
export const STATE_OVERRIDES: ParamType<readonly AccountOverride[]> = {
  label: 'state overrides',
  decode: (value) => decodeStateOverrides(value, false),
}

/** The state overrides of eth_simulateV1. */
export const STRICT_STATE_OVERRIDES: ParamType<readonly AccountOverride[]> = {
  label: 'state overrides',
  decode: (value) => decodeStateOverrides(value, true),
}

/** Decodes the block overrides that every simulation supports, under geth's current and former names. */
export function decodeBlockOverrides(object: JsonArgument): BlockOverride {
  return {
    number: member(object, 'number', QUANTITY),
    timestamp: member(object, 'time', UINT64),
    gasLimit: member(object, 'gasLimit', UINT64),
    coinbase:
      member(object, 'feeRecipient', ADDRESS_TYPE) ?? member(object, 'coinbase', ADDRESS_TYPE),
    prevRandao: member(object, 'prevRandao', SLOT_TYPE) ?? member(object, 'random', SLOT_TYPE),
    baseFee: member(object, 'baseFeePerGas', QUANTITY) ?? member(object, 'baseFee', QUANTITY),
    blobBaseFee: member(object, 'blobBaseFee', QUANTITY),
  }
}

/** Overrides supported only by eth_simulateV1, which builds blocks. */
const OF_BUILT_BLOCKS = ['beaconRoot', 'withdrawals']

export const BLOCK_OVERRIDES: ParamType<BlockOverride> = {
  label: 'block overrides',
  decode: (value) => {
    const object = asObject(value, 'block overrides')
    const overrides = decodeBlockOverrides(object)
    // Has no effect after the merge, but must still be a number.
    member(object, 'difficulty', QUANTITY)
    const name = OF_BUILT_BLOCKS.find(
      (one) => lookup(object, one) !== undefined && lookup(object, one) !== null,
    )
    if (name === undefined) return overrides
    throw refused(`block override "${name}" is not supported for this RPC method`)
  },
}
