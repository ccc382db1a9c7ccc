import { formatQuantity } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { CallArgument } from '../argument/call-argument.ts'
import type { ReadCall } from '../call/rpc-call.ts'
import { checkPrices, refused } from '../resolve/call-request.ts'
import { blobPrice, maxPriorityFeePerGas } from './fee.ts'

/** The fees of a transaction, with defaults for those that the sender omitted. */
export interface TransactionFees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Undefined without blobs. */
  readonly maxFeePerBlobGas: bigint | undefined
}

/**
 * Returns the fees of a transaction after `header`. Omitted fees follow the market: the suggested tip, twice the base
 * fee, twice the blob base fee.
 * @throws CALL_CONTRADICTS with geth's messages, in geth's order
 */
export function feeDefaults(
  call: ReadCall,
  asked: CallArgument,
  header: BlockHeader,
): TransactionFees {
  if (asked.maxFeePerBlobGas === 0n) {
    throw refused('maxFeePerBlobGas, if specified, must be non-zero')
  }
  checkPrices(asked)
  return { ...gasFees(call, asked, header), maxFeePerBlobGas: blobFee(call, asked, header) }
}

function blobFee(call: ReadCall, asked: CallArgument, header: BlockHeader): bigint | undefined {
  if (asked.maxFeePerBlobGas !== undefined) return asked.maxFeePerBlobGas
  return asked.blobHashes && 2n * (blobPrice(call.context, header) ?? 0n)
}

function gasFees(call: ReadCall, asked: CallArgument, header: BlockHeader) {
  const { dev } = call.context
  const { gasPrice, authorizations } = asked
  if (gasPrice !== undefined) {
    if (authorizations !== undefined) throw refused('both gasPrice and authorizationList specified')
    // The base fee of a development chain may be set to zero.
    if (gasPrice === 0n && dev === undefined) {
      throw refused('gasPrice must be non-zero after london fork')
    }
    return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  }
  if (asked.maxFeePerGas === 0n && asked.maxPriorityFeePerGas !== undefined && dev === undefined) {
    throw refused('maxFeePerGas must be non-zero')
  }
  const baseFee = dev?.next.baseFee ?? header.baseFeePerGas
  const tip = asked.maxPriorityFeePerGas ?? openTip(call, asked)
  const cap = asked.maxFeePerGas ?? tip + 2n * baseFee
  if (cap < tip) {
    const [shownCap, shownTip] = [formatQuantity(cap), formatQuantity(tip)]
    throw refused(`maxFeePerGas (${shownCap}) < maxPriorityFeePerGas (${shownTip})`)
  }
  return { maxFeePerGas: cap, maxPriorityFeePerGas: tip }
}

/** Returns the tip if the sender omitted it. */
function openTip(call: ReadCall, { maxFeePerGas: cap }: CallArgument): bigint {
  const suggested = BigInt(maxPriorityFeePerGas(call))
  // The base fee of a development chain may be so low that a cap is below every suggested tip.
  return call.context.dev !== undefined && cap !== undefined && cap < suggested ? cap : suggested
}
