import type { WebSocketPeer } from '../../server/server.ts'
import type { ClientAccount } from '../../server/work-scheduler.ts'
import type { Caller } from '../call/rpc-call.ts'
import type { Answer } from './dispatcher.ts'
import { SHORT_BYTES } from './long-request.ts'
import { ReadPace } from './read-pace.ts'
import type { OwnDispatcher } from './thread-dispatcher.ts'
import { reply } from './web-socket-handler.ts'

/** Messages of one connection that a thread works on at a time; further ones are the chain's thread's. */
const CONCURRENCY = 512

/** A caller over a WebSocket whose calls need no more than a serving thread has. */
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

  get account(): ClientAccount {
    return this.#peer.account
  }
}

/** Answers the messages of WebSockets that need no more than a serving thread has; false for every other. */
export function threadMessageHandler(
  dispatcher: OwnDispatcher,
): (peer: WebSocketPeer, message: Uint8Array) => boolean {
  const callers = new WeakMap<WebSocketPeer, ThreadCaller>()
  return (peer, message) => {
    const caller = callers.get(peer) ?? new ThreadCaller(peer)
    callers.set(peer, caller)
    // A long one would have to be kept, to be passed on later.
    if (caller.running >= CONCURRENCY || message.length > SHORT_BYTES) return false
    // Those wait on the main thread, which sends no more than is read either.
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
  answer: Promise<Answer>,
): Promise<void> {
  caller.running++
  peer.account.hold(bytes)
  try {
    const late = await answer
    await reply(peer, late)
    caller.pace.count(late)
  } finally {
    caller.running--
    peer.account.hold(-bytes)
  }
}
