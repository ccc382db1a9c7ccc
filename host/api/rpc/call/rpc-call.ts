import { keccak_256 } from '@noble/hashes/sha3.js'
import { LockstepError } from '../../../base/error.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import type { ClientQuota } from '../../server/work-scheduler.ts'
import type { NotificationSink } from '../subscription/subscription-hub.ts'
import type { ReadContext, RpcContext, WorkerContext } from './context.ts'
import { clientMemoryExceeded } from './error.ts'

export type RpcTransport = 'http' | 'ws'

/** A call of a method that reads finished blocks and their states. */
export type ReadCall = MethodCall<ReadContext>

/** The client that makes a call. */
export interface Caller {
  readonly transport: RpcTransport
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
  /** Receives notifications; undefined if the transport cannot carry them. */
  readonly subscriber: NotificationSink | undefined
  /** The account to which the call is charged. */
  readonly account: ClientQuota
}

/** Bytes hashed between two yields: about half a millisecond. */
const HASHED_AT_ONCE = 16_384

/** Memory per byte of output in a result: two digits, in a string and in the JSON of the response. */
const RESULT_COPIES = 4

/** One call of a method. */
export class MethodCall<Context extends WorkerContext = RpcContext> {
  readonly context: Context
  readonly caller: Caller
  #heldBytes = 0

  constructor(context: Context, caller: Caller) {
    this.context = context
    this.caller = caller
  }

  /**
   * Yields between two pieces of work of less than a millisecond each: returns undefined while time is left,
   * otherwise a promise to await, during which other clients run.
   * @throws REQUEST_TIMEOUT if the caller has disconnected.
   */
  yield(): Promise<void> | undefined {
    return this.caller.account.yield()?.then(() => {
      if (!this.caller.signal.aborted) return
      throw new LockstepError('REQUEST_TIMEOUT', 'request aborted')
    })
  }

  /**
   * Reserves bytes until the call is answered.
   * @throws CLIENT_LIMIT if the client's memory limit is exceeded.
   */
  reserve(bytes: number): void {
    const { account } = this.caller
    if (!account.admits(bytes)) throw clientMemoryExceeded(this.context.work.maxHeldBytes)
    account.reserve(bytes)
    this.#heldBytes += bytes
  }

  /**
   * Reserves the memory of a result with `outputBytes` of output, before it is created.
   * @throws CLIENT_LIMIT if the client's memory limit is exceeded.
   */
  reserveResult(outputBytes: number): void {
    this.reserve(outputBytes * RESULT_COPIES)
  }

  /**
   * Returns the Keccak-256 of bytes of any length up to the request size. Hashes in pieces, because the engine's
   * buffer is smaller and 2 MiB at once would block the main thread.
   */
  async keccak256(bytes: Uint8Array): Promise<Uint8Array> {
    const hash = keccak_256.create()
    for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
      hash.update(bytes.subarray(at, at + HASHED_AT_ONCE))
      const turn = this.yield()
      if (turn !== undefined) await turn
    }
    return hash.digest()
  }

  /** Releases the reserved memory once the call is answered. Idempotent. */
  release(): void {
    if (this.#heldBytes === 0) return
    this.caller.account.reserve(-this.#heldBytes)
    this.#heldBytes = 0
  }

  /**
   * Runs work with a signal that is aborted when the caller disconnects, or after `milliseconds` with the error from
   * `expired`.
   */
  async within<Result>(
    milliseconds: number,
    expired: () => LockstepError,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { signal } = this.caller
    const controller = new AbortController()
    const leave = () => controller.abort(signal.reason)
    // `AbortSignal.timeout` would keep its timer running after the work has finished.
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
