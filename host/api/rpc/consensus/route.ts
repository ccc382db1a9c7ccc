import type { Arguments } from './arguments.ts'
import type { RouteCaller } from './context.ts'
import type { RpcError, RpcId } from './response.ts'

/** A route of a server whose routes read `Context`. */
export interface Route<Context> {
  /** What it answers, for the page of routes. */
  readonly help: string
  /** Names in the order of positional params. */
  readonly params: readonly string[]
  /** A JSON value, `RawJson` or `JsonStream`. */
  readonly call: (
    context: Context,
    args: Arguments,
    caller: RouteCaller,
    id: RpcId,
  ) => object | Promise<object>
  /** An error that goes out beside the result. */
  readonly check?: (context: Context) => RpcError | undefined
}

/** Routes by name: over GET by path, over POST and WebSocket by method. */
export type Routes<Context> = ReadonlyMap<string, Route<Context>>

/** What a server serves: its routes, and all that they read. */
export interface ServedRoutes<Context> {
  readonly routes: Routes<Context>
  readonly context: Context
  /** Most requests in a batch; 0 is any number. */
  readonly maxBatch: number
}
