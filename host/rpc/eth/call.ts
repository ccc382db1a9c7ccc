import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity } from '../../base/hex.ts'
import {
  type BlockOverride,
  type CallArguments,
  checkCreation,
} from '../../execute/simulate/call-message.ts'
import type { AccountOverride } from '../../execute/simulate/overlay-view.ts'
import type { Simulation } from '../../execute/simulate/simulator.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { CallArgument } from '../argument/call-argument.ts'
import type { RpcContext } from '../call/context.ts'
import { callError } from '../call/error.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { accessListRecord } from '../format/transaction-record.ts'
import { requireStateHeight } from '../resolve/block-lookup.ts'

function refused(text: string): LockstepError {
  return new LockstepError('CALL_CONTRADICTS', text)
}

/**
 * The call of a request, for the block at `height`.
 * @throws as `requestWithin`, and CALL_CONTRADICTS for a creation with blobs or delegations.
 */
export function requestOf(
  context: RpcContext,
  argument: CallArgument,
  height: number,
): CallArguments {
  checkCreation(argument)
  return requestWithin(context, argument, height)
}

/**
 * The call of a request in a pretended block upon the one at `height`, which looks at creations when it runs them.
 * @throws CALL_CONTRADICTS for another chain's id, and for blobs where the block takes none.
 */
export function requestWithin(
  { rules, chain }: RpcContext,
  { chainId, ...request }: CallArgument,
  height: number,
): CallArguments {
  if (chainId !== undefined && chainId !== rules.chainId) {
    const text = `chainId does not match node's (have=${chainId}, want=${rules.chainId})`
    throw refused(text)
  }
  const header = chain.header(height)
  const takesBlobs = header !== undefined && rules.blobsOf(header) !== undefined
  if (request.blobHashes !== undefined && !takesBlobs) {
    throw refused('blobs not supported on this chain')
  }
  return request
}

/** @throws LIMIT_EXCEEDED */
export function checkOverrides(
  { limits }: RpcContext,
  overrides: readonly AccountOverride[],
): void {
  if (overrides.length > limits.overrideAccounts) {
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `state override has too many accounts (${overrides.length} > ${limits.overrideAccounts})`,
    )
  }
  for (const { address, state, stateDiff } of overrides) {
    const slots = (state ?? stateDiff ?? []).length
    if (slots <= limits.overrideSlots) continue
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `state override for ${formatData(address)} has too many slots (${slots} > ${limits.overrideSlots})`,
    )
  }
}

export function timedOut(milliseconds: number): LockstepError {
  return new LockstepError('REQUEST_TIMEOUT', `execution aborted (timeout = ${milliseconds} ms)`, {
    data: { key: 'evm.simulation_evm_timeout', milliseconds },
  })
}

/** What the three simulating methods have in common: the simulation, run within its time. */
async function simulate<Result>(
  call: RpcCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
  run: (simulation: Simulation) => Promise<Result>,
): Promise<Result> {
  const { context } = call
  if (argument.maxFeePerBlobGas !== undefined && (argument.blobHashes ?? []).length === 0) {
    const text = 'maxFeePerBlobGas specified without blobVersionedHashes'
    throw refused(text)
  }
  checkOverrides(context, stateOverrides)
  const height = requireStateHeight(context, block)
  const request = requestOf(context, argument, height)
  const pending = block.kind === 'pending' ? await context.pendingBlocks.latest() : undefined
  const limit = context.limits.simulationTimeoutMs
  return call.within(
    limit,
    () => timedOut(limit),
    (signal) => {
      const turn = () => call.turn()
      return run({ request, height, pending, stateOverrides, blockOverrides, signal, turn })
    },
  )
}

export async function ethCall(
  call: RpcCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
): Promise<string> {
  const { simulator } = call.context
  const outcome = await simulate(call, argument, block, stateOverrides, blockOverrides, (asked) =>
    simulator.call(asked),
  )
  if (!outcome.success) throw callError(outcome)
  return formatData(outcome.output)
}

export async function estimateGas(
  call: RpcCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
  blockOverrides: BlockOverride | undefined,
): Promise<string> {
  const { simulator } = call.context
  const estimate = await simulate(call, argument, block, stateOverrides, blockOverrides, (asked) =>
    simulator.estimateGas(asked),
  )
  if (estimate.kind === 'failed') throw callError(estimate.outcome)
  return formatQuantity(estimate.gas)
}

/** geth fills the fees of an access list's call as those of a transaction, and checks them first. */
function checkFees({ maxFeePerGas: cap, maxPriorityFeePerGas: tip }: CallArgument): void {
  if (cap === undefined || tip === undefined || cap >= tip) return
  const text = `maxFeePerGas (${formatQuantity(cap)}) < maxPriorityFeePerGas (${formatQuantity(tip)})`
  throw refused(text)
}

export async function createAccessList(
  call: RpcCall,
  argument: CallArgument,
  block: BlockArgument,
  stateOverrides: readonly AccountOverride[],
): Promise<unknown> {
  checkFees(argument)
  const { simulator } = call.context
  const outcome = await simulate(call, argument, block, stateOverrides, undefined, (asked) =>
    simulator.createAccessList(asked),
  )
  const { accessList, gasUsed, error } = outcome
  return {
    accessList: accessListRecord(accessList),
    ...(error === undefined ? {} : { error }),
    gasUsed: formatQuantity(gasUsed),
  }
}
