import { LockstepError } from '../../../base/error.ts'
import { BLOB_GAS, CALL_STIPEND, TRANSACTION_GAS } from '../../chain-types/generated/gas.ts'
import { MAX_TRANSACTION_GAS } from '../../chain-types/generated/limit.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { Run } from '../../engine/need.ts'
import type { Executed, RejectionCode } from '../../engine/outcome.ts'
import type { TraceSink } from '../../engine/trace-event.ts'
import { type CallContext, hasCode, rejectedCall, runCall } from './call-context.ts'

export type CallOutcome = Pick<Executed, 'success' | 'error' | 'reverted' | 'output'>

/** The least sufficient gas, or how the call fails with the maximum. */
export type GasEstimate =
  | { readonly kind: 'enough'; readonly gas: bigint }
  | { readonly kind: 'failed'; readonly outcome: CallOutcome }

/** Relative error allowed in an estimate: wallets add a margin, and each step costs a run. */
const ERROR_RATIO = 0.015

/** Rejections that more gas avoids. */
const NEEDS_GAS: ReadonlySet<RejectionCode> = new Set(['intrinsicGasTooLow', 'floorDataGasTooLow'])

/** Runs the call with `gas`; undefined if that is below the transaction's intrinsic or floor gas. */
function* attempt(context: CallContext, gas: bigint, trace?: TraceSink): Run<Executed | undefined> {
  const outcome = yield* runCall(context, gas, context.input.accessList, trace)
  if (outcome.kind === 'executed') return outcome
  if (NEEDS_GAS.has(outcome.code)) return undefined
  throw rejectedCall(context, outcome.code, `failed with ${gas} gas: `, '')
}

/** Returns the most gas that the call may have and its sender can pay for. */
function allowance(context: CallContext): bigint {
  const { input, env, sender, maxGas } = context
  // Since EIP-8037 the limit is on execution gas alone.
  const hasLimit = atLeast(env.revision, 'Osaka') && !atLeast(env.revision, 'Amsterdam')
  const asked = hasLimit && maxGas > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : maxGas
  if (input.maxFeePerGas === 0n) return asked
  if (input.value >= sender.balance) {
    throw new LockstepError('TRANSACTION_REJECTED', 'insufficient funds for transfer')
  }
  const blobGas = BLOB_GAS * BigInt(input.blobHashes.length)
  const left = sender.balance - input.value - blobGas * input.maxFeePerBlobGas
  if (blobGas > 0n && left <= 0n) {
    throw new LockstepError('TRANSACTION_REJECTED', 'insufficient funds for gas * price + value')
  }
  const affordable = left / input.maxFeePerGas
  if (affordable < asked) return affordable
  return asked
}

/**
 * Searches for the least gas with which the call succeeds, like geth (eth/gasestimator). It tries a plain transfer,
 * then the maximum, then bisects between that run's gas used and the maximum. `trace` receives the run with the
 * maximum.
 * @throws TRANSACTION_REJECTED if the protocol rejects the call whatever its gas.
 */
export function* searchGas(context: CallContext, trace?: TraceSink): Run<GasEstimate> {
  const { input } = context
  let enough = allowance(context)
  if (input.data.length === 0 && input.to !== undefined && !hasCode(context, input.to)) {
    // If the transfer is rejected, so is the run with the maximum, and geth reports that gas.
    const transfer = enough < TRANSACTION_GAS ? undefined : yield* runCall(context, TRANSACTION_GAS)
    if (transfer?.kind === 'executed' && transfer.success)
      return { kind: 'enough', gas: transfer.gasUsed }
  }
  const widest = yield* attempt(context, enough, trace)
  if (widest === undefined || !widest.success)
    return { kind: 'failed', outcome: failure(widest, enough) }

  let short = widest.gasUsed - 1n
  const likely = ((widest.gasUsed + widest.gasRefunded + CALL_STIPEND) * 64n) / 63n
  if (likely < enough) {
    if ((yield* attempt(context, likely))?.success) enough = likely
    else short = likely
  }
  while (short + 1n < enough) {
    if (Number(enough - short) / Number(enough) < ERROR_RATIO) break
    let middle = (short + enough) / 2n
    // Most calls need little more than they used, so search there first.
    if (middle > short * 2n) middle = short * 2n
    // A run shorter than a fuel slice does not yield, and there may be dozens.
    yield { kind: 'yield' }
    if ((yield* attempt(context, middle))?.success) enough = middle
    else short = middle
  }
  return { kind: 'enough', gas: enough }
}

function failure(widest: Executed | undefined, gas: bigint): CallOutcome {
  if (widest !== undefined && !widest.error?.startsWith('out of gas')) return widest
  return {
    success: false,
    error: `gas required exceeds allowance (${gas})`,
    reverted: false,
    output: new Uint8Array(),
  }
}
