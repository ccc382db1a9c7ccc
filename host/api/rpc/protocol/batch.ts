import type { LockstepError } from '../../../base/error.ts'
import type { ClientAccount } from '../../server/work-scheduler.ts'
import type { ThreadContext } from '../call/context.ts'
import { heldTooMuch, toRpcError } from '../call/error.ts'
import type { Caller } from '../call/rpc-call.ts'
import type { CallRunner } from './call-runner.ts'
import { encodeFailure, encodeId, isNotification, type Message } from './jsonrpc.ts'
import { discard, tooLarge } from './streamed-answer.ts'

/** Calls of one batch that run at a time: enough to share a sync to disk, few enough to be fair. */
const BATCH_CONCURRENCY = 32

/** An answer in a batch is held twice: by itself, and as a part of the batch's answer. */
const ANSWER_COPIES = 2

/**
 * Answers the calls of a batch, in its order; undefined where all of them are notifications. Up to 32 run at a time,
 * begun in order, but for those that the method table runs one after another.
 */
export async function runBatch(
  runner: Pick<CallRunner, 'call' | 'isSerialInBatch'>,
  { limits, work }: ThreadContext,
  messages: readonly Message[],
  caller: Caller,
): Promise<string | undefined> {
  const { account } = caller
  const answers = new Array<string | undefined>(messages.length)
  const room = new AnswerRoom(account, limits.responseBytes, work.maxHeldBytes)
  let next = 0
  const run = async (message: Message): Promise<string | undefined> => {
    const isSilent = isNotification(message)
    const turn = account.turn()
    if (turn !== undefined) await turn
    if (room.isFull || caller.signal.aborted) return refuse(message, tooLarge())
    const reserved = room.reserve()
    if (reserved === undefined) return refuse(message, heldTooMuch(work.maxHeldBytes))
    let answer: string
    try {
      const called = runner.call(message, caller)
      // At once, so that the next call of this turn knows what this one came to.
      const one = called instanceof Promise ? await called : called
      if (isSilent && typeof one !== 'string') return discard(one)
      answer = typeof one === 'string' ? one : await one.text(room.left, tooLarge())
    } finally {
      if (reserved > 0) account.hold(-reserved)
    }
    // An answer that nobody gets has cost as much to make.
    const refusal = room.take(answer.length, isSilent)
    if (isSilent) return undefined
    return refusal === undefined ? answer : refuse(message, refusal)
  }
  let lastSerial: Promise<unknown> = Promise.resolve()
  const inTurn = (message: Message): Promise<string | undefined> => {
    const answer = lastSerial.then(() => run(message))
    lastSerial = answer
    return answer
  }
  const worker = async () => {
    for (let i = next++; i < messages.length; i = next++) {
      const message = messages[i] as Message
      answers[i] = await (runner.isSerialInBatch(message) ? inTurn(message) : run(message))
    }
  }
  try {
    const workers = Math.min(BATCH_CONCURRENCY, messages.length)
    await Promise.all(Array.from({ length: workers }, worker))
    const present = answers.filter((answer) => answer !== undefined)
    return present.length === 0 ? undefined : `[${present.join(',')}]`
  } finally {
    room.release()
  }
}

/** The room for the answers of a batch: characters that they may have together, and memory of their client. */
export class AnswerRoom {
  readonly #account: ClientAccount
  readonly #maxHeldBytes: number
  #left: number
  #heldBytes = 0
  /** Bytes of the longest answer so far: each call of the batch may come to as many. */
  #longestBytes = 0

  constructor(account: ClientAccount, characters: number, maxHeldBytes: number) {
    this.#account = account
    this.#maxHeldBytes = maxHeldBytes
    this.#left = characters
  }

  /** Characters that are left; negative once there were too many. */
  get left(): number {
    return this.#left
  }

  get isFull(): boolean {
    return this.#left < 0
  }

  /** Bytes that are held for an answer before it is made; undefined if there is no room for them. */
  reserve(): number | undefined {
    const bytes = this.#longestBytes
    if (bytes === 0) return 0
    if (!this.#account.admits(bytes)) return undefined
    this.#account.hold(bytes)
    return bytes
  }

  /** Takes an answer, which is not kept where it is silent; why not, where there is no room for it. */
  take(characters: number, isSilent: boolean): LockstepError | undefined {
    this.#left -= characters
    if (isSilent) return undefined
    if (this.isFull) return tooLarge()
    const bytes = characters * ANSWER_COPIES
    this.#longestBytes = Math.max(this.#longestBytes, bytes)
    if (!this.#account.admits(bytes)) return heldTooMuch(this.#maxHeldBytes)
    this.#account.hold(bytes)
    this.#heldBytes += bytes
    return undefined
  }

  release(): void {
    this.#account.hold(-this.#heldBytes)
    this.#heldBytes = 0
  }
}

/** The answer to a call that is not run, or whose result is dropped; none to a notification. */
function refuse(message: Message, error: LockstepError): string | undefined {
  if (isNotification(message)) return undefined
  return encodeFailure(encodeId(message), toRpcError(error))
}
