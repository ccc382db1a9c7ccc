import { keccak_256 } from '@noble/hashes/sha3.js'
import { LockstepError } from '../../../base/error.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import type { ClientAccount } from '../../server/work-scheduler.ts'
import type { Subscriber } from '../subscription/subscription-hub.ts'
import type { ReadContext, RpcContext, ThreadContext } from './context.ts'
import { heldTooMuch } from './error.ts'

export type RpcTransport = 'http' | 'ws'

/** A call of a method that reads finished blocks and their states. */
export type ReadCall = RpcCall<ReadContext>

/** The client that makes a call. */
export interface Caller {
  readonly transport: RpcTransport
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /** Takes notifications; only on a connection that can carry them. */
  readonly subscriber: Subscriber | undefined
  /** The account that the costs of the call are charged to. */
  readonly account: ClientAccount
}

/** Bytes hashed between two requests for a turn: some half of a millisecond. */
const HASHED_AT_ONCE = 16_384

/** Bytes that a byte of output takes in a result: two digits, as a text and in the JSON of the answer. */
const RESULT_COPIES = 4

/** One call of a method. */
export class RpcCall<Context extends ThreadContext = RpcContext> {
  readonly context: Context
  readonly caller: Caller
  #heldBytes = 0

  constructor(context: Context, caller: Caller) {
    this.context = context
    this.caller = caller
  }

  /**
   * The wait between two pieces of work, each of less than a millisecond: undefined while there is time, else a
   * promise of the caller's next turn, before which other clients have theirs.
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

  /**
   * Counts the result that output of a run becomes, before it is made.
   * @throws CLIENT_LIMIT if there is no room for it.
   */
  holdResult(outputBytes: number): void {
    this.hold(outputBytes * RESULT_COPIES)
  }

  /**
   * Keccak-256 of bytes whose number only the request's size bounds: in pieces, because the engine takes no
   * more than its buffer holds, and because 2 MiB at once would keep the chain's thread for long.
   */
  async keccak256(bytes: Uint8Array): Promise<Uint8Array> {
    const hash = keccak_256.create()
    for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
      hash.update(bytes.subarray(at, at + HASHED_AT_ONCE))
      const turn = this.turn()
      if (turn !== undefined) await turn
    }
    return hash.digest()
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
    const timer = startTimer(() => controller.abort(expired()), milliseconds)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    try {
      return await work(controller.signal)
    } finally {
      stopTimer(timer)
      signal.removeEventListener('abort', leave)
    }
  }
}
