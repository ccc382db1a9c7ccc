import type { RouteArguments } from './arguments.ts'
import type { ConsensusRpcContext } from './context.ts'
import { formatBytes } from './json.ts'

/** Encodes bytes as CometBFT does in ABCI responses: empty bytes are null. */
function bytesOrNull(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : formatBytes(bytes)
}

/** Handles /abci_query. A rejected query is not an RPC error: `code` and `log` contain the reason. */
export async function abciQuery(
  context: ConsensusRpcContext,
  args: RouteArguments,
): Promise<object> {
  const response = await context.stateQuery.query({
    path: args.text('path'),
    data: args.bytes('data'),
    height: args.integer('height') ?? 0,
    prove: args.boolean('prove'),
  })
  const ops = response.proofOps.map(({ type, key, data }) => ({
    type,
    key: formatBytes(key),
    data: formatBytes(data),
  }))
  return {
    response: {
      code: response.code,
      log: response.log,
      info: '',
      index: '0',
      key: bytesOrNull(response.key),
      value: bytesOrNull(response.value),
      proofOps: ops.length === 0 ? null : { ops },
      height: String(response.height),
      codespace: response.codespace,
    },
  }
}
