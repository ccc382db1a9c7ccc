import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { Executed } from '../../../evm/engine/outcome.ts'
import type { PendingBlock } from '../../../evm/execute/pending-block.ts'
import type { AccessListOutcome } from '../../../evm/execute/simulate/access-list.ts'
import type { BlockOverride } from '../../../evm/execute/simulate/call-message.ts'
import type { GasEstimate } from '../../../evm/execute/simulate/gas-search.ts'
import type { AccountOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import type { Simulation } from '../../../evm/execute/simulate/simulator.ts'
import { type BlockArgument, LATEST } from '../argument/block-argument.ts'
import type { CallArgument } from '../argument/call-argument.ts'
import { callError } from '../call/error.ts'
import type { ReadCall } from '../call/rpc-call.ts'
import { accessListRecord } from '../format/transaction-record.ts'
import { requireStateHeight } from '../resolve/block-lookup.ts'
import {
  checkBlobFee,
  checkOverrides,
  requestOf,
  simulationDeadline,
} from '../resolve/call-request.ts'
import { latestHeader } from './fee.ts'
import { feeDefaults } from './fee-defaults.ts'

/** Runs a simulation within its time: the part that the three simulating methods share. */
function simulate<Result>(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
  run: (simulation: Simulation) => Result | Promise<Result>,
): Result | Promise<Result> {
  const { context } = call
  checkOverrides(context, stateOverrides)
  const height = requireStateHeight(context, block)
  const request = requestOf(context, argument, height)
  const turn = () => call.turn()
  const runOn = (pending: PendingBlock | undefined) => {
    const signal = simulationDeadline(context)
    return run({ request, height, pending, stateOverrides, blockOverrides, signal, turn })
  }
  if (block.kind !== 'pending') return runOn(undefined)
  return context.pendingBlocks.latest().then(runOn)
}

/** A call that waits for nothing is answered at once. */
export function ethCall(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
): string | Promise<string> {
  checkBlobFee(argument)
  const { simulator } = call.context
  const outcome = simulate(call, argument, block, stateOverrides, blockOverrides, (asked) =>
    simulator.call(asked),
  )
  if (outcome instanceof Promise) return outcome.then((late) => outputOf(call, late))
  return outputOf(call, outcome)
}

/** @throws CLIENT_LIMIT where there is no room for the result, which is not made then */
function outputOf(call: ReadCall, outcome: Executed): string {
  call.holdResult(outcome.output.length)
  if (!outcome.success) throw callError(outcome)
  return formatData(outcome.output)
}

/** As `ethCall`. */
export function estimateGas(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
): string | Promise<string> {
  checkBlobFee(argument)
  return leastGas(call, argument, block, stateOverrides, blockOverrides)
}

/** The least gas with which a call succeeds. It may name a blob fee without blobs, as a transaction may. */
export function leastGas(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[] = [],
  blockOverrides: BlockOverride | undefined = undefined,
): string | Promise<string> {
  const { simulator } = call.context
  const estimate = simulate(call, argument, block, stateOverrides, blockOverrides, (asked) =>
    simulator.estimateGas(asked),
  )
  if (estimate instanceof Promise) return estimate.then((late) => gasOf(call, late))
  return gasOf(call, estimate)
}

/** @throws CLIENT_LIMIT where there is no room for the data of a revert */
function gasOf(call: ReadCall, estimate: GasEstimate): string {
  if (estimate.kind === 'failed') {
    call.holdResult(estimate.outcome.output.length)
    throw callError(estimate.outcome)
  }
  return formatQuantity(estimate.gas)
}

/** geth fills the fees of an access list's call as those of a transaction if it names any. */
function withFees(call: ReadCall, argument: CallArgument, block: BlockArgument): CallArgument {
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = argument
  const namesFee = maxFeePerGas ?? maxPriorityFeePerGas ?? maxFeePerBlobGas
  if (namesFee === undefined) return argument
  const { context } = call
  const header = context.chain.header(requireStateHeight(context, block))
  return { ...argument, ...feeDefaults(call, argument, header ?? latestHeader(context)) }
}

export function createAccessList(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
): Promise<unknown> {
  checkBlobFee(argument)
  const { simulator } = call.context
  const filled = withFees(call, argument, block)
  const outcome = simulate(call, filled, block, stateOverrides, undefined, (asked) =>
    simulator.createAccessList(asked),
  )
  return Promise.resolve(outcome).then(accessListAnswer)
}

function accessListAnswer({ accessList, gasUsed, error }: AccessListOutcome): unknown {
  return {
    accessList: accessListRecord(accessList),
    ...(error === undefined ? {} : { error }),
    gasUsed: formatQuantity(gasUsed),
  }
}

/** The slots that a call reads or writes, of all contracts. */
export async function slotsRead(
  call: ReadCall,
  argument: CallArgument,
): Promise<readonly { readonly address: Uint8Array; readonly slot: Uint8Array }[]> {
  const { simulator } = call.context
  const { accessList } = await simulate(call, argument, LATEST, [], undefined, (asked) =>
    simulator.createAccessList(asked),
  )
  return accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((slot) => ({ address, slot })),
  )
}
