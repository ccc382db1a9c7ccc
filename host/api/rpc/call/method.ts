import type { Parameter } from '../argument/parameter.ts'
import type { ReadContext, RpcContext, ThreadContext } from './context.ts'
import type { RpcCall, RpcTransport } from './rpc-call.ts'

/** A row of the method table; its handler needs a context of this kind. */
export interface Method<Context extends ThreadContext = RpcContext> {
  readonly name: string
  readonly params: readonly Parameter[]
  /** Description of the result, for the reference. */
  readonly result: string
  readonly transports: readonly RpcTransport[]
  /** The method has a time limit of its own: that of all methods (`evm.write_timeout`) does not end it. */
  readonly hasOwnTimeLimit: boolean
  /** Calls of such methods in one batch run one after another: together they take one slot for traces. */
  readonly isSerialInBatch: boolean
  /** The method is there on a development chain only. */
  readonly dev: boolean
  /** Every serving thread answers that has what its handler works with. */
  readonly anywhere: boolean
  /** A serving thread may find only while it answers that the chain's thread has to. */
  readonly looksInPool: boolean
  /** A JSON value, `RawJson` or `JsonStream`, now or later. */
  readonly run: (call: RpcCall<Context>, ...args: never[]) => unknown
}

export type Arguments<Params extends readonly Parameter[]> = {
  [Index in keyof Params]: Params[Index] extends Parameter<infer Value> ? Value : never
}

interface MethodRow<Params extends readonly Parameter[], Context extends ThreadContext> {
  readonly params: Params
  readonly result: string
  /** Both unless said otherwise. */
  readonly transports?: readonly RpcTransport[]
  /** All false unless said otherwise. */
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

/** A row whose handler takes exactly what its parameters decode to. */
export function method<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params, RpcContext>,
): Method {
  return { name, ...DEFAULTS, ...row, run: row.run as Method['run'] }
}

/** A row whose handler needs no more than every serving thread has. */
export function anywhere<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params, ThreadContext>,
): Method<ThreadContext> {
  const run = row.run as Method<ThreadContext>['run']
  return { name, ...DEFAULTS, ...row, anywhere: true, run }
}

/** A row whose handler reads finished blocks and their states: every serving thread that has them answers it. */
export function reading<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params, ReadContext>,
): Method<ReadContext> {
  const run = row.run as Method<ReadContext>['run']
  return { name, ...DEFAULTS, ...row, anywhere: true, run }
}
