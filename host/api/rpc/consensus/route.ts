import type { RouteArguments } from './arguments.ts'
import type { RouteCaller } from './context.ts'
import type { ConsensusRpcError, RpcId } from './response.ts'

/** A route that reads `Context`. */
export interface ConsensusRoute<Context> {
  /** Description for the page of routes. */
  readonly help: string
  /** Names, in the order of positional params. */
  readonly params: readonly string[]
  /** Returns a JSON value, `RawJson` or `JsonStream`. */
  readonly call: (
    context: Context,
    args: RouteArguments,
    caller: RouteCaller,
    id: RpcId,
  ) => object | Promise<object>
  /** Returns an error to send next to the result, if any. */
  readonly check?: (context: Context) => ConsensusRpcError | undefined
}

/** Routes by name: the path over GET, the method over POST and WebSocket. */
export type Routes<Context> = ReadonlyMap<string, ConsensusRoute<Context>>

/** The routes of a server with their context. */
export interface ServedRoutes<Context> {
  readonly routes: Routes<Context>
  readonly context: Context
  /** Maximum requests in a batch; 0 is unlimited. */
  readonly maxBatch: number
}
