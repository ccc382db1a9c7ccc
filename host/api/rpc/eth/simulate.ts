import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { BlockHeader, Withdrawal } from '../../../evm/chain-types/block.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type {
  SimulatedBlock,
  SimulatedOutcome,
} from '../../../evm/execute/simulate/simulated-block-run.ts'
import type {
  BlockCalls,
  SimulatedCall,
  SimulatedOverride,
} from '../../../evm/execute/simulate/simulated-blocks.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import {
  CALL,
  type CallArgument,
  decodeBlockOverrides,
  STRICT_STATE_OVERRIDES,
} from '../argument/call-argument.ts'
import { knownMembers } from '../argument/known-members.ts'
import {
  ADDRESS_TYPE,
  asArray,
  asObject,
  FLAG,
  HASH,
  member,
  type ParamType,
  QUANTITY,
  UINT64,
} from '../argument/parameter.ts'
import { callError, toRpcError } from '../call/error.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockRecord } from '../format/block-record.ts'
import { logRecord } from '../format/log-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { requireStateHeight } from '../resolve/block-lookup.ts'
import { checkOverrides, requestWithin, simulationDeadline } from '../resolve/call-request.ts'

/** A decoded call. Its chain id is not checked yet. */
interface CallItem extends CallArgument {
  readonly isLegacy: boolean
}

interface BlockItem {
  readonly overrides: SimulatedOverride
  readonly stateOverrides: ReturnType<typeof STRICT_STATE_OVERRIDES.decode>
  readonly calls: readonly CallItem[]
}

/** The decoded argument of eth_simulateV1. */
export interface SimulationArgument {
  readonly blocks: readonly BlockItem[]
  readonly traceTransfers: boolean
  readonly validation: boolean
  readonly returnFullTransactions: boolean
}

/** geth's limits for one simulation, checked before it is decoded. */
const MAX_BLOCKS = 256
const MAX_CALLS_OF_BLOCK = 5_000
const MAX_CALLS = 10_000

/** Bytes reserved for a simulated call until its response is sent, in addition to those that grow with its work. */
const BYTES_PER_CALL = 4096

const WITHDRAWALS: ParamType<readonly Withdrawal[]> = {
  label: 'withdrawals',
  decode: (value) =>
    asArray(value, 'an array of withdrawals').map((item) => {
      const row = asObject(item, 'a withdrawal')
      const address = member(row, 'address', ADDRESS_TYPE)
      if (address === undefined) {
        throw new LockstepError('INVALID_ARGUMENT', 'withdrawal without address')
      }
      return {
        index: member(row, 'index', UINT64) ?? 0n,
        validatorIndex: member(row, 'validatorIndex', UINT64) ?? 0n,
        address,
        amount: member(row, 'amount', UINT64) ?? 0n,
      }
    }),
}

const CALLS: ParamType<readonly CallItem[]> = {
  label: 'calls',
  decode: (value) => {
    const items = asArray(value, 'an array of calls')
    if (items.length > MAX_CALLS_OF_BLOCK) {
      throw tooManyCalls(' in block', items.length, MAX_CALLS_OF_BLOCK)
    }
    return items.map((item) => {
      const call = CALL.decode(item)
      return { ...call, isLegacy: call.gasPrice !== undefined }
    })
  },
}

function tooManyCalls(where: string, count: number, limit: number): LockstepError {
  return new LockstepError('TOO_MANY_CALLS', `too many calls${where}: ${count} > ${limit}`)
}

/** geth's names, then those of its earlier releases. */
const BLOCK_MEMBERS = [
  ...['number', 'difficulty', 'time', 'gasLimit', 'feeRecipient', 'prevRandao', 'baseFeePerGas'],
  ...['blobBaseFee', 'beaconRoot', 'withdrawals'],
  ...['coinbase', 'random', 'baseFee', 'parentBeaconBlockRoot'],
]

const SIMULATED_OVERRIDES: ParamType<SimulatedOverride> = {
  label: 'block overrides',
  decode: (value) => {
    const given = asObject(value, 'block overrides')
    const object = knownMembers(given, BLOCK_MEMBERS, 'block override')
    return {
      ...decodeBlockOverrides(object),
      difficulty: member(object, 'difficulty', QUANTITY),
      withdrawals: member(object, 'withdrawals', WITHDRAWALS),
      parentBeaconBlockRoot:
        member(object, 'parentBeaconBlockRoot', HASH) ?? member(object, 'beaconRoot', HASH),
    }
  },
}

const BLOCKS: ParamType<readonly BlockItem[]> = {
  label: 'blocks',
  decode: (value) => {
    const items = asArray(value, 'an array of blocks')
    if (items.length > MAX_BLOCKS) throw new LockstepError('TOO_MANY_BLOCKS', 'too many blocks')
    return items.map((item) => {
      const block = asObject(item, 'a block of calls')
      return {
        overrides:
          member(block, 'blockOverrides', SIMULATED_OVERRIDES) ?? SIMULATED_OVERRIDES.decode({}),
        stateOverrides: member(block, 'stateOverrides', STRICT_STATE_OVERRIDES) ?? [],
        calls: member(block, 'calls', CALLS) ?? [],
      }
    })
  },
}

export const SIMULATION: ParamType<SimulationArgument> = {
  label: 'simulation',
  decode: (value) => {
    const object = asObject(value, 'a simulation')
    const blocks = member(object, 'blockStateCalls', BLOCKS) ?? []
    if (blocks.length === 0) throw new LockstepError('REFUSED_ARGUMENT', 'empty input')
    const count = blocks.reduce((sum, { calls }) => sum + calls.length, 0)
    if (count > MAX_CALLS) throw tooManyCalls('', count, MAX_CALLS)
    const flag = (name: string) => member(object, name, FLAG) ?? false
    return {
      blocks,
      traceTransfers: flag('traceTransfers'),
      validation: flag('validation'),
      returnFullTransactions: flag('returnFullTransactions'),
    }
  },
}

export async function simulateV1(
  call: MethodCall,
  { blocks: items, returnFullTransactions, ...asked }: SimulationArgument,
  block: BlockArgument,
): Promise<unknown> {
  const { context } = call
  const height = requireStateHeight(context, block)
  const pending = block.kind === 'pending' ? await context.pendingBlocks.latest() : undefined
  const count = items.reduce((sum, { calls }) => sum + calls.length, 0)
  call.reserve(count * BYTES_PER_CALL)
  const blocks: BlockCalls[] = []
  for (const item of items) {
    checkOverrides(context, item.stateOverrides)
    const calls: SimulatedCall[] = []
    for (const { isLegacy, ...argument } of item.calls) {
      calls.push({ ...requestWithin(context, argument, height), isLegacy })
      const turn = call.yield()
      if (turn !== undefined) await turn
    }
    blocks.push({ ...item, calls })
  }
  const simulated = await context.blockSimulator.simulate({
    ...asked,
    height,
    pending,
    blocks,
    signal: simulationDeadline(context),
    turn: () => call.yield(),
    reserve: (bytes) => {
      call.reserve(bytes)
      call.reserveResult(bytes)
    },
  })
  const records: unknown[] = []
  for (const one of simulated) {
    records.push(simulatedRecord(call, one, returnFullTransactions))
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return records
}

function simulatedRecord(
  { context }: MethodCall,
  simulated: SimulatedBlock,
  full: boolean,
): unknown {
  const { block, transactions, outcomes } = simulated
  const { header } = block
  const shown = transactions.map((transaction, index) =>
    full ? transactionRecord(transaction, { header, index }) : formatData(transaction.hash),
  )
  const calls = outcomes.map((outcome, index) =>
    outcomeRecord(outcome, header, transactions[index] as Transaction, index),
  )
  return { ...blockRecord(header, shown, block.ethereum, context.rules, context.keccak256), calls }
}

/** Returns the error of a call within its block; the method itself succeeds. */
function failureRecord({ outcome, isCapped }: SimulatedOutcome): unknown {
  if (!outcome.reverted) {
    return { code: VM_ERROR, message: `${outcome.error}${isCapped ? CAPPED : ''}` }
  }
  return toRpcError(callError(outcome))
}

const CAPPED = " (gas limit was capped by the RPC server's global gas cap)"

/** Error code of execution-apis for a call that failed without a revert. */
const VM_ERROR = -32015

function outcomeRecord(
  simulated: SimulatedOutcome,
  header: BlockHeader,
  { hash: transactionHash }: Transaction,
  transactionIndex: number,
): unknown {
  const { outcome, logs, maxUsedGas } = simulated
  return {
    // The output of a reverted call is in the data of its error.
    returnData: outcome.success ? formatData(outcome.output) : '0x',
    logs: logs.map(({ log, index: logIndex }) =>
      logRecord(log, { header, transactionHash, transactionIndex, logIndex }),
    ),
    gasUsed: formatQuantity(outcome.gasUsed),
    maxUsedGas: formatQuantity(maxUsedGas),
    status: outcome.success ? '0x1' : '0x0',
    ...(outcome.success ? {} : { error: failureRecord(simulated) }),
  }
}
