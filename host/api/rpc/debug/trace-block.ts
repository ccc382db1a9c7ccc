import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { formatData, parseData } from '../../../base/hex.ts'
import { decodeEthereumBlock } from '../../../evm/chain-types/ethereum-block.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockNotFound, requireHeight } from '../resolve/block-lookup.ts'
import { simulationDeadline } from '../resolve/call-request.ts'
import { getRawBlock } from './raw.ts'
import { checkTraceable, type TraceResult } from './run-trace.ts'
import { debugTraceBlock } from './trace.ts'
import type { TraceRequestOptions } from './trace-options.ts'

/** First byte of an RLP list. */
const LIST = 0xc0

/** Returns the height in an RLP block. @throws INVALID_RLP with geth's prefix */
function heightIn(raw: Uint8Array): bigint {
  const undecoded = (text: string, cause?: unknown) =>
    new LockstepError('INVALID_RLP', `could not decode block: ${text}`, { cause })
  if (raw.length === 0) throw undecoded('EOF')
  if ((raw[0] as number) < LIST) throw undecoded('rlp: expected input list for types.extblock')
  try {
    return decodeEthereumBlock(raw).header.number
  } catch (thrown) {
    throw undecoded(messageOf(thrown), thrown)
  }
}

/** Traces a block of the chain, given in RLP as returned by debug_getRawBlock. */
export async function traceRawBlock(
  call: MethodCall,
  raw: Uint8Array,
  options: TraceRequestOptions,
): Promise<TraceResult> {
  const asked = heightIn(raw)
  const block = { kind: 'height', height: Number(asked), asked } as const
  if (asked <= BigInt(call.context.chain.latest)) {
    if (asked === 0n) throw new LockstepError('UNSUPPORTED', 'genesis is not traceable')
    if (equalBytes(parseData(await getRawBlock(call, block)), raw))
      return debugTraceBlock(call, block, options)
  }
  const text = `block #${asked} not found: only blocks of the chain can be traced`
  throw new LockstepError('NOT_FOUND', text)
}

/** Returns the state roots after each transaction of a block; only on an imported chain. */
export async function getIntermediateRoots(call: MethodCall, hash: Uint8Array): Promise<string[]> {
  const { context } = call
  const height = requireHeight(context, { kind: 'hash', hash }, blockNotFound)
  checkTraceable(context, height)
  if (context.imported === undefined) {
    throw new LockstepError(
      'UNSUPPORTED',
      'no state roots between transactions on this chain: its state is hashed once per block',
    )
  }
  const signal = simulationDeadline(context)
  const roots = await context.intermediateRoots(height, { signal, turn: () => call.yield() })
  return roots.map(formatData)
}
