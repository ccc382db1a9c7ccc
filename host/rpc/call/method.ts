import { LockstepError } from '../../base/error.ts'
import type { JsonChunks } from '../../base/json-chunks.ts'
import type { ClientAccount } from '../../server/work-scheduler.ts'
import type { Parameter } from '../argument/parameter.ts'
import { heldTooMuch } from '../protocol/held-bytes.ts'
import type { Subscriber } from '../subscription/subscription-hub.ts'
import type { RpcContext } from './context.ts'

export type RpcTransport = 'http' | 'ws'

/** Who asks. */
export interface Caller {
  readonly transport: RpcTransport
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /** Takes notifications; only on a connection that can carry them. */
  readonly subscriber: Subscriber | undefined
  /** Who pays for what the call costs. */
  readonly account: ClientAccount
}

/** One call of a method. */
export class RpcCall {
  readonly context: RpcContext
  readonly caller: Caller
  #heldBytes = 0

  constructor(context: RpcContext, caller: Caller) {
    this.context = context
    this.caller = caller
  }

  /**
   * To be asked between two pieces of work of less than a millisecond: undefined while there is time; else the
   * caller's next turn, before which others have theirs.
   * @throws REQUEST_TIMEOUT once the caller is gone.
   */
  turn(): Promise<void> | undefined {
    return this.caller.account.turn()?.then(() => {
      if (!this.caller.signal.aborted) return
      throw new LockstepError('REQUEST_TIMEOUT', 'request aborted')
    })
  }

  /**
   * Counts bytes that the call holds until it is answered.
   * @throws CLIENT_LIMIT where there is no room for them.
   */
  hold(bytes: number): void {
    const { account } = this.caller
    if (!account.admits(bytes)) throw heldTooMuch(this.context.work.maxHeldBytes)
    account.hold(bytes)
    this.#heldBytes += bytes
  }

  /** Gives up what is held: the call is answered. Later calls change nothing. */
  release(): void {
    if (this.#heldBytes === 0) return
    this.caller.account.hold(-this.#heldBytes)
    this.#heldBytes = 0
  }

  /**
   * Runs work that stops when its signal is aborted: when the caller goes away, or after `milliseconds`,
   * then with the error that `expired` makes.
   */
  async within<Result>(
    milliseconds: number,
    expired: () => LockstepError,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { signal } = this.caller
    const controller = new AbortController()
    const leave = () => controller.abort(signal.reason)
    // Not AbortSignal.timeout: its timer outlives the work by the rest of the time.
    const timer = setTimeout(() => controller.abort(expired()), milliseconds)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    try {
      return await work(controller.signal)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }
}

/** A result that is JSON already. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A result whose JSON comes in pieces, for what should never stand in memory whole. */
export class JsonStream {
  readonly chunks: JsonChunks

  constructor(chunks: JsonChunks) {
    this.chunks = chunks
  }
}

/** A row of the method table. */
export interface Method {
  readonly name: string
  readonly params: readonly Parameter[]
  /** What the result is, for the reference. */
  readonly result: string
  readonly transports: readonly RpcTransport[]
  /** It ends by itself in time, however long that is: the time limit of methods is not for it. */
  readonly hasDeadline: boolean
  /** A JSON value, `RawJson` or `JsonStream`, now or later. */
  readonly run: (call: RpcCall, ...args: never[]) => unknown
}

type Arguments<Params extends readonly Parameter[]> = {
  [Index in keyof Params]: Params[Index] extends Parameter<infer Value> ? Value : never
}

interface MethodRow<Params extends readonly Parameter[]> {
  readonly params: Params
  readonly result: string
  /** Both unless said otherwise. */
  readonly transports?: readonly RpcTransport[]
  /** False unless said otherwise. */
  readonly hasDeadline?: boolean
  readonly run: (call: RpcCall, ...args: Arguments<Params>) => unknown
}

const EVERYWHERE: readonly RpcTransport[] = ['http', 'ws']

/** A row whose handler takes exactly what its parameters decode to. */
export function method<const Params extends readonly Parameter[]>(
  name: string,
  row: MethodRow<Params>,
): Method {
  return { name, transports: EVERYWHERE, hasDeadline: false, ...row, run: row.run as Method['run'] }
}
