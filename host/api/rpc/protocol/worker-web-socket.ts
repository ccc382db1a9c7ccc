import type { WebSocketPeer } from '../../server/server.ts'
import type { ClientQuota } from '../../server/work-scheduler.ts'
import type { Caller } from '../call/rpc-call.ts'
import type { DispatchedAnswer } from './dispatcher.ts'
import { SHORT_BYTES } from './long-request.ts'
import { ReadPace } from './read-pace.ts'
import { reply } from './web-socket-handler.ts'
import type { WorkerAnswerer } from './worker-dispatcher.ts'

/** Concurrent messages of one connection on an RPC worker; further ones go to the main thread. */
const CONCURRENCY = 512

/** A WebSocket caller on an RPC worker. */
class ThreadCaller implements Caller {
  readonly transport = 'ws'
  readonly subscriber = undefined
  readonly pace: ReadPace
  running = 0
  readonly #peer: WebSocketPeer

  constructor(peer: WebSocketPeer) {
    this.#peer = peer
    this.pace = new ReadPace(peer, () => {})
  }

  get signal(): AbortSignal {
    return this.#peer.signal
  }

  get account(): ClientQuota {
    return this.#peer.account
  }
}

/**
 * Returns a handler that answers WebSocket messages on an RPC worker; false for those that the main thread must
 * answer.
 */
export function workerMessageHandler(
  dispatcher: WorkerAnswerer,
): (peer: WebSocketPeer, message: Uint8Array) => boolean {
  const callers = new WeakMap<WebSocketPeer, ThreadCaller>()
  return (peer, message) => {
    const caller = callers.get(peer) ?? new ThreadCaller(peer)
    callers.set(peer, caller)
    // A long message would have to be copied in case it is forwarded later.
    if (caller.running >= CONCURRENCY || message.length > SHORT_BYTES) return false
    // Further messages queue on the main thread, which also waits until the client reads.
    if (caller.pace.isBehind) return false
    const own = dispatcher.answer(message, caller)
    if (own === undefined || own instanceof Promise) return false
    if (own.answer instanceof Promise) void replyLater(peer, caller, message.length, own.answer)
    else {
      void reply(peer, own.answer)
      caller.pace.count(own.answer)
    }
    return true
  }
}

async function replyLater(
  peer: WebSocketPeer,
  caller: ThreadCaller,
  bytes: number,
  answer: Promise<DispatchedAnswer>,
): Promise<void> {
  caller.running++
  peer.account.reserve(bytes)
  try {
    const late = await answer
    await reply(peer, late)
    caller.pace.count(late)
  } finally {
    caller.running--
    peer.account.reserve(-bytes)
  }
}
