import { LockstepError } from '../../../base/error.ts'
import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext } from './context.ts'
import { formatBytes } from './json.ts'

/** Bytes of genesis.json per response (CometBFT `genesisChunkSize`). */
const CHUNK_BYTES = 16 * 1024 * 1024

function chunksOf({ genesisFile }: ConsensusRpcContext): number {
  return Math.max(1, Math.ceil(genesisFile.length / CHUNK_BYTES))
}

/** Handles /genesis. */
export function genesis(context: ConsensusRpcContext): object {
  if (chunksOf(context) > 1) {
    throw new LockstepError(
      'RESPONSE_TOO_LARGE',
      'genesis response is large, please use the genesis_chunked API instead',
    )
  }
  return { genesis: JSON.parse(new TextDecoder().decode(context.genesisFile)) }
}

/** Handles /genesis_chunked: returns a chunk of genesis.json as it is on disk. */
export function genesisChunked(context: ConsensusRpcContext, args: RouteArguments): object {
  const total = chunksOf(context)
  const chunk = args.integer('chunk') ?? 0
  if (chunk < 0 || chunk >= total) {
    throw new LockstepError(
      'NOT_FOUND',
      `there are ${total - 1} chunks, ${chunk} is invalid: the first is 0, the last ${total - 1}`,
    )
  }
  const start = chunk * CHUNK_BYTES
  return {
    chunk: String(chunk),
    total: String(total),
    data: formatBytes(context.genesisFile.subarray(start, start + CHUNK_BYTES)),
  }
}
