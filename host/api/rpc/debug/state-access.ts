import { formatData, formatQuantity } from '../../../base/hex.ts'
import { encodeReceipt, type Receipt } from '../../../evm/chain-types/receipt.ts'
import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import type { AccessScope } from '../../../evm/trace/bundle/bundle.ts'
import type { AccessRequest } from '../../../evm/trace/job/trace-job.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireFinished, requireHeight } from '../resolve/block-lookup.ts'
import { locate } from '../resolve/block-reader.ts'
import { cachedTrace, checkTraceable, planContext, type TraceResult } from './run-trace.ts'
import { NO_TRACE_OPTIONS } from './trace-options.ts'

/** Placeholder, because a job must have a tracer name; a job of this kind creates no tracer. */
const NO_TRACER = 'noopTracer'

/** Returns the state that a mined transaction read, with everything needed to replay it. */
export async function traceStateAccess(call: MethodCall, hash: Uint8Array): Promise<TraceResult> {
  const { height, index } = locate(call.context, hash)
  return recordReads(call, 'transaction', height, index + 1)
}

/** Returns the state that a block read, as it was after the parent, with everything needed to replay the block. */
export async function traceBlockStateAccess(
  call: MethodCall,
  block: BlockArgument,
): Promise<TraceResult> {
  requireFinished(block, 'no bundle')
  return recordReads(call, 'block', requireHeight(call.context, block, blockNotFound))
}

async function recordReads(
  call: MethodCall,
  scope: AccessScope,
  height: number,
  count?: number,
): Promise<TraceResult> {
  const { context } = call
  checkTraceable(context, height)
  const part = `${scope} ${count ?? 'all'}`
  return cachedTrace(call, NO_TRACER, NO_TRACE_OPTIONS, height, part, async () => {
    const plan = planReplay(planContext(context), height, count)
    const receipts = context.history.receipts(height) ?? []
    const access: AccessRequest = {
      scope,
      engineHash: context.engineHash,
      receipts: receipts.slice(0, plan.transactions.length).map(encodeReceipt),
      chain: {
        tendermint: await consensusTraces(context, height),
        receipt: receipts.map((receipt, index) => receiptTrace(receipt, height, index)),
      },
    }
    return {
      job: { plan, target: { kind: 'stateAccess', access } },
      view: context.history.before(height),
    }
  })
}

/** Returns the result of the consensus RPC's /block; undefined on an imported chain, which has no consensus. */
async function consensusTraces(
  { consensusBlock }: RpcContext,
  height: number,
): Promise<readonly object[]> {
  if (consensusBlock === undefined) return []
  const response = await consensusBlock(height)
  return [{ endpoint: 'Block', arguments: [String(height)], response }]
}

function receiptTrace(receipt: Receipt, height: number, index: number): object {
  const { contractAddress, to } = receipt
  return {
    blockNumber: formatQuantity(height),
    contractAddress: contractAddress === undefined ? null : formatData(contractAddress),
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: formatQuantity(receipt.effectiveGasPrice),
    from: formatData(receipt.from),
    gasUsed: formatQuantity(receipt.gasUsed),
    status: formatQuantity(receipt.status),
    to: to === undefined ? null : formatData(to),
    transactionHash: formatData(receipt.transactionHash),
    transactionIndex: formatQuantity(index),
    type: formatQuantity(receipt.type),
  }
}
