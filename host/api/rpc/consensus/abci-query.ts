import type { Arguments } from './arguments.ts'
import type { ConsensusRpcContext } from './context.ts'
import { formatBytes } from './json.ts'

/** As CometBFT writes the bytes of ABCI's answers: nothing is null. */
function bytesOrNull(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : formatBytes(bytes)
}

/** The answer of /abci_query. A query that is refused is no error of the RPC: `code` and `log` say why. */
export async function abciQuery(context: ConsensusRpcContext, args: Arguments): Promise<object> {
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
