import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { Deadline } from '../../../evm/execute/run-until.ts'
import { type CallArguments, checkCreation } from '../../../evm/execute/simulate/call-message.ts'
import type { AccountOverride } from '../../../evm/execute/simulate/overlay-view.ts'
import type { CallArgument } from '../argument/call-argument.ts'
import type { ReadContext } from '../call/context.ts'

export function refused(text: string): LockstepError {
  return new LockstepError('CALL_CONTRADICTS', text)
}

/** @throws CALL_CONTRADICTS if a gas price is combined with EIP-1559 fees */
export function checkPrices({ mixesPrices }: CallArgument): void {
  if (mixesPrices) {
    throw refused('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
}

/** @throws CALL_CONTRADICTS for a blob fee without blobs, which only simulated blocks and traces accept */
export function checkBlobFee({ maxFeePerBlobGas, blobHashes = [] }: CallArgument): void {
  if (maxFeePerBlobGas !== undefined && blobHashes.length === 0) {
    throw refused('maxFeePerBlobGas specified without blobVersionedHashes')
  }
}

/**
 * Returns the call of a request for the block at `height`.
 * @throws as `requestWithin`, and CALL_CONTRADICTS for a creation with blobs or delegations.
 */
export function requestOf(
  context: ReadContext,
  argument: CallArgument,
  height: number,
): CallArguments {
  checkPrices(argument)
  checkCreation(argument)
  return requestWithin(context, argument, height)
}

/**
 * Returns the call of a request for a simulated block after the one at `height`. The simulation itself checks
 * creations.
 * @throws CALL_CONTRADICTS for mixed prices, a different chain id, or blobs if the block does not support them.
 */
export function requestWithin(
  { rules, chain }: ReadContext,
  argument: CallArgument,
  height: number,
): CallArguments {
  checkPrices(argument)
  const { chainId, blobHashes } = argument
  if (chainId !== undefined && chainId !== rules.chainId) {
    const text = `chainId does not match node's (have=${chainId}, want=${rules.chainId})`
    throw refused(text)
  }
  if (blobHashes !== undefined) {
    const header = chain.header(height)
    const takesBlobs = header !== undefined && rules.blobsOf(header) !== undefined
    if (!takesBlobs) throw refused('blobs not supported on this chain')
  }
  return argument
}

/** @throws LIMIT_EXCEEDED */
export function checkOverrides(
  { limits }: ReadContext,
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

/** The time limit of a simulation, from now on. */
export function simulationDeadline({ limits }: ReadContext): Deadline {
  const { simulationTimeoutMs } = limits
  return new Deadline(simulationTimeoutMs, () => timedOut(simulationTimeoutMs))
}

function timedOut(milliseconds: number): LockstepError {
  return new LockstepError('REQUEST_TIMEOUT', `execution aborted (timeout = ${milliseconds} ms)`, {
    data: { key: 'evm.simulation_evm_timeout', milliseconds },
  })
}
