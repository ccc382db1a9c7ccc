import type { Arguments } from './arguments.ts'
import type { ConsensusRpcContext, RouteCaller } from './context.ts'
import type { RpcError, RpcId } from './response.ts'

export interface Route {
  /** What it answers, for the page of routes. */
  readonly help: string
  /** Names in the order of positional params. */
  readonly params: readonly string[]
  readonly call: (
    context: ConsensusRpcContext,
    args: Arguments,
    caller: RouteCaller,
    id: RpcId,
  ) => object | Promise<object>
  /** An error that goes out beside the result. */
  readonly check?: (context: ConsensusRpcContext) => RpcError | undefined
}
