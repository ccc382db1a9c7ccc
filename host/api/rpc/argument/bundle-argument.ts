import { LockstepError } from '../../../base/error.ts'
import type { BlockOverride } from '../../../evm/execute/simulate/call-message.ts'
import { BLOCK, type BlockArgument, LATEST } from './block-argument.ts'
import { CALL, type CallArgument, decodeBlockOverrides } from './call-argument.ts'
import { knownMembers } from './known-members.ts'
import { asArray, asObject, COUNT, member, type ParamType, QUANTITY, UINT64 } from './parameter.ts'

/** Calls that run in one block, each on the state of the one before. */
export interface CallBundle {
  readonly calls: readonly CallArgument[]
  readonly overrides: BlockOverride
}

/** The state before the first bundle. */
export interface StateContext {
  readonly block: BlockArgument
  /** Number of transactions of the block to run first; undefined runs all. */
  readonly txIndex: number | undefined
}

/** Calls of one request, as in eth_simulateV1. */
const MAX_BUNDLED_CALLS = 10_000

/** The names of reth and geth, then those of Erigon. */
const BLOCK_MEMBERS = [
  ...['number', 'difficulty', 'time', 'gasLimit', 'coinbase', 'random', 'baseFee', 'blobBaseFee'],
  ...['feeRecipient', 'prevRandao', 'baseFeePerGas', 'blockNumber', 'timestamp'],
]

const BUNDLE_OVERRIDES: ParamType<BlockOverride> = {
  label: 'block overrides',
  decode: (value) => {
    const given = asObject(value, 'block overrides')
    const object = knownMembers(given, BLOCK_MEMBERS, 'block override')
    // Has no effect after the merge, but must still be a number.
    member(object, 'difficulty', QUANTITY)
    const shared = decodeBlockOverrides(object)
    return {
      ...shared,
      number: shared.number ?? member(object, 'blockNumber', UINT64),
      timestamp: shared.timestamp ?? member(object, 'timestamp', UINT64),
    }
  },
}

const BUNDLE_CALLS: ParamType<readonly CallArgument[]> = {
  label: 'calls',
  decode: (value) => asArray(value, 'an array of calls').map(CALL.decode),
}

/** A list of {transactions, blockOverride}. */
export const CALL_BUNDLES: ParamType<readonly CallBundle[]> = {
  label: 'array of {transactions, blockOverride?}',
  decode: (value) => {
    const bundles = asArray(value, 'an array of bundles').map((item) => {
      const names = ['transactions', 'blockOverride', 'blockOverrides']
      const bundle = knownMembers(asObject(item, 'a bundle'), names, 'bundle')
      return {
        calls: member(bundle, 'transactions', BUNDLE_CALLS) ?? [],
        overrides:
          member(bundle, 'blockOverride', BUNDLE_OVERRIDES) ??
          member(bundle, 'blockOverrides', BUNDLE_OVERRIDES) ??
          BUNDLE_OVERRIDES.decode({}),
      }
    })
    const count = bundles.reduce((sum, { calls }) => sum + calls.length, 0)
    if (count === 0) throw new LockstepError('REFUSED_ARGUMENT', 'empty bundles')
    if (count <= MAX_BUNDLED_CALLS) return bundles
    const text = `too many calls: ${count} > ${MAX_BUNDLED_CALLS}`
    throw new LockstepError('TOO_MANY_CALLS', text)
  },
}

const TX_INDEX: ParamType<number | undefined> = {
  label: 'transaction index',
  decode: (value) => (value === -1 || value === '-1' ? undefined : COUNT.decode(value)),
}

/** {blockNumber, transactionIndex}: a block in any form, and how many of its transactions precede the bundles. */
export const STATE_CONTEXT: ParamType<StateContext> = {
  label: 'state context',
  decode: (value) => {
    const names = ['blockNumber', 'transactionIndex']
    const object = knownMembers(asObject(value, 'a state context'), names, 'state context')
    return {
      block: member(object, 'blockNumber', BLOCK) ?? LATEST,
      txIndex: member(object, 'transactionIndex', TX_INDEX),
    }
  },
}

export const LATEST_STATE: StateContext = { block: LATEST, txIndex: undefined }
