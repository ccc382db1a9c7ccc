import type { Parameter } from '../argument/parameter.ts'
import type { RpcCall, RpcTransport } from './rpc-call.ts'

/** A row of the method table. */
export interface Method {
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
  /** A JSON value, `RawJson` or `JsonStream`, now or later. */
  readonly run: (call: RpcCall, ...args: never[]) => unknown
}

export type Arguments<Params extends readonly Parameter[]> = {
  [Index in keyof Params]: Params[Index] extends Parameter<infer Value> ? Value : never
}

interface MethodRow<Params extends readonly Parameter[]> {
  readonly params: Params
  readonly result: string
  /** Both unless said otherwise. */
  readonly transports?: readonly RpcTransport[]
  /** All false unless said otherwise. */
  readonly hasOwnTimeLimit?: boolean
  readonly isSerialInBatch?: boolean
  readonly dev?: boolean
  readonly run: (call: RpcCall, ...args: Arguments<Params>) => unknown
}

const EVERYWHERE: readonly RpcTransport[] = ['http', 'ws']

/** A row whose handler takes exactly what its parameters decode to. */
export function method<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params>,
): Method {
  const flags = { hasOwnTimeLimit: false, isSerialInBatch: false, dev: false }
  return { name, transports: EVERYWHERE, ...flags, ...row, run: row.run as Method['run'] }
}
