import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { Executed } from '../../../evm/engine/outcome.ts'
import type { PendingBlock } from '../../../evm/execute/pending-block.ts'
import type { AccessListOutcome } from '../../../evm/execute/simulate/access-list.ts'
import type { BlockOverride } from '../../../evm/execute/simulate/call-message.ts'
import type { GasEstimate } from '../../../evm/execute/simulate/gas-search.ts'
import type { AccountOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import type { CallSimulation } from '../../../evm/execute/simulate/simulator.ts'
import { type BlockArgument, LATEST, PENDING } from '../argument/block-argument.ts'
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

/** Runs a simulation within its time limit; shared by the three simulating methods. */
function simulate<Result>(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
  run: (simulation: CallSimulation) => Result | Promise<Result>,
): Result | Promise<Result> {
  const { context } = call
  checkOverrides(context, stateOverrides)
  const height = requireStateHeight(context, block)
  const request = requestOf(context, argument, height)
  const turn = () => call.yield()
  const runOn = (pending: PendingBlock | undefined) => {
    const signal = simulationDeadline(context)
    return run({ request, height, pending, stateOverrides, blockOverrides, signal, turn })
  }
  if (block.kind !== 'pending') return runOn(undefined)
  return context.pendingBlocks.latest().then(runOn)
}

/** Returns the result synchronously if nothing must be awaited. */
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

/** @throws CLIENT_LIMIT if the result exceeds the client's memory limit; the result is then not created */
function outputOf(call: ReadCall, outcome: Executed): string {
  call.reserveResult(outcome.output.length)
  if (!outcome.success) throw callError(outcome)
  return formatData(outcome.output)
}

/** Returns the block for a gas estimate that names none: under --dev the one that the transaction would be in. */
export function defaultGasBlock({ context: { dev } }: ReadCall): BlockArgument {
  return dev === undefined ? LATEST : PENDING
}

/** Synchronous under the same condition as `ethCall`. */
export function estimateGas(
  call: ReadCall,
  argument: CallArgument,
  block: BlockArgument = defaultGasBlock(call),
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
): string | Promise<string> {
  checkBlobFee(argument)
  return estimatedLeastGas(call, argument, block, stateOverrides, blockOverrides)
}

/** Returns the least gas with which a call succeeds. Accepts a blob fee without blobs, as in a transaction. */
export function estimatedLeastGas(
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

/** @throws CLIENT_LIMIT if the revert data exceeds the client's memory limit */
function gasOf(call: ReadCall, estimate: GasEstimate): string {
  if (estimate.kind === 'failed') {
    call.reserveResult(estimate.outcome.output.length)
    throw callError(estimate.outcome)
  }
  return formatQuantity(estimate.gas)
}

/** If a call for an access list has any fee, geth fills in the others as in a transaction. */
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

/** Returns the slots of all contracts that a call in the pending block reads or writes. */
export async function slotsRead(
  call: ReadCall,
  argument: CallArgument,
): Promise<readonly { readonly address: Uint8Array; readonly slot: Uint8Array }[]> {
  const { simulator } = call.context
  const { accessList } = await simulate(call, argument, PENDING, [], undefined, (asked) =>
    simulator.createAccessList(asked),
  )
  return accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((slot) => ({ address, slot })),
  )
}
