import type { MethodParameter } from '../argument/parameter.ts'
import type { ReadContext, RpcContext, WorkerContext } from './context.ts'
import type { MethodCall, RpcTransport } from './rpc-call.ts'

/** An entry of the method table. `Context` is what its handler needs. */
export interface Method<Context extends WorkerContext = RpcContext> {
  readonly name: string
  readonly params: readonly MethodParameter[]
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
  readonly onAnyWorker: boolean
  /** The handler may discover only while it runs that the main thread must answer. */
  readonly mayForwardLate: boolean
  /** Returns a JSON value, `RawJson` or `JsonStream`, or a promise of one. */
  readonly run: (call: MethodCall<Context>, ...args: never[]) => unknown
}

export type MethodArguments<Params extends readonly MethodParameter[]> = {
  [Index in keyof Params]: Params[Index] extends MethodParameter<infer Value> ? Value : never
}

interface MethodRow<Params extends readonly MethodParameter[], Context extends WorkerContext> {
  readonly params: Params
  readonly result: string
  /** Both by default. */
  readonly transports?: readonly RpcTransport[]
  /** All false by default. */
  readonly hasOwnTimeLimit?: boolean
  readonly isSerialInBatch?: boolean
  readonly dev?: boolean
  readonly mayForwardLate?: boolean
  readonly run: (call: MethodCall<Context>, ...args: MethodArguments<Params>) => unknown
}

const DEFAULTS = {
  transports: ['http', 'ws'] as readonly RpcTransport[],
  hasOwnTimeLimit: false,
  isSerialInBatch: false,
  dev: false,
  onAnyWorker: false,
  mayForwardLate: false,
}

/** Defines a method; the type of its handler follows from its parameters. */
export function method<const Params extends readonly MethodParameter[]>(
  name: string,
  row: MethodRow<Params, RpcContext>,
): Method {
  return { name, ...DEFAULTS, ...row, run: row.run as Method['run'] }
}

/** Defines a method that every RPC worker can answer. */
export function workerMethod<const Params extends readonly MethodParameter[]>(
  name: string,
  row: MethodRow<Params, WorkerContext>,
): Method<WorkerContext> {
  const run = row.run as Method<WorkerContext>['run']
  return { name, ...DEFAULTS, ...row, onAnyWorker: true, run }
}

/** Defines a method that reads finished blocks and their states. RPC workers that have them answer it. */
export function readMethod<const Params extends readonly MethodParameter[]>(
  name: string,
  row: MethodRow<Params, ReadContext>,
): Method<ReadContext> {
  const run = row.run as Method<ReadContext>['run']
  return { name, ...DEFAULTS, ...row, onAnyWorker: true, run }
}
