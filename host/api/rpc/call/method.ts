import type { Parameter } from '../argument/parameter.ts'
import type { ReadContext, RpcContext, ThreadContext } from './context.ts'
import type { RpcCall, RpcTransport } from './rpc-call.ts'

/** An entry of the method table. `Context` is what its handler needs. */
export interface Method<Context extends ThreadContext = RpcContext> {
  readonly name: string
  readonly params: readonly Parameter[]
  /** Description of the result, for the reference documentation. */
  readonly result: string
  readonly transports: readonly RpcTransport[]
  /** The method has a time limit of its own instead of `evm.write_timeout`. */
  readonly hasOwnTimeLimit: boolean
  /** Calls in one batch run one after another, so that they share one trace slot. */
  readonly isSerialInBatch: boolean
  /** Available only on a development chain. */
  readonly dev: boolean
  /** Answered by every RPC worker that has the context of its handler. */
  readonly anywhere: boolean
  /** The handler may discover only while it runs that the main thread must answer. */
  readonly looksInPool: boolean
  /** Returns a JSON value, `RawJson` or `JsonStream`, or a promise of one. */
  readonly run: (call: RpcCall<Context>, ...args: never[]) => unknown
}

export type Arguments<Params extends readonly Parameter[]> = {
  [Index in keyof Params]: Params[Index] extends Parameter<infer Value> ? Value : never
}

interface MethodRow<Params extends readonly Parameter[], Context extends ThreadContext> {
  readonly params: Params
  readonly result: string
  /** Both by default. */
  readonly transports?: readonly RpcTransport[]
  /** All false by default. */
  readonly hasOwnTimeLimit?: boolean
  readonly isSerialInBatch?: boolean
  readonly dev?: boolean
  readonly looksInPool?: boolean
  readonly run: (call: RpcCall<Context>, ...args: Arguments<Params>) => unknown
}

const DEFAULTS = {
  transports: ['http', 'ws'] as readonly RpcTransport[],
  hasOwnTimeLimit: false,
  isSerialInBatch: false,
  dev: false,
  anywhere: false,
  looksInPool: false,
}

/** Defines a method; the type of its handler follows from its parameters. */
export function method<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params, RpcContext>,
): Method {
  return { name, ...DEFAULTS, ...row, run: row.run as Method['run'] }
}

/** Defines a method that every RPC worker can answer. */
export function anywhere<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params, ThreadContext>,
): Method<ThreadContext> {
  const run = row.run as Method<ThreadContext>['run']
  return { name, ...DEFAULTS, ...row, anywhere: true, run }
}

/** Defines a method that reads finished blocks and their states. RPC workers that have them answer it. */
export function reading<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params, ReadContext>,
): Method<ReadContext> {
  const run = row.run as Method<ReadContext>['run']
  return { name, ...DEFAULTS, ...row, anywhere: true, run }
}
