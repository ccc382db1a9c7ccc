import type { LockstepError } from '../../../base/error.ts'
import type { ClientQuota } from '../../server/work-scheduler.ts'
import type { WorkerContext } from '../call/context.ts'
import { clientMemoryExceeded, toRpcError } from '../call/error.ts'
import type { Caller } from '../call/rpc-call.ts'
import type { CallRunner } from './call-runner.ts'
import { encodeFailure, encodeId, isNotification, type Message } from './jsonrpc.ts'
import { discard, tooLarge } from './streamed-answer.ts'

/** Concurrent calls of one batch: enough to share a disk sync, few enough to be fair. */
const BATCH_CONCURRENCY = 32

/** A response in a batch is in memory twice: on its own, and within the batch's response. */
const ANSWER_COPIES = 2

/**
 * Answers the calls of a batch in order; undefined if all are notifications. Starts them in order and runs up to 32
 * concurrently, except methods with `isSerialInBatch`.
 */
export async function runBatch(
  runner: Pick<CallRunner, 'call' | 'isSerialInBatch'>,
  { limits, work }: WorkerContext,
  messages: readonly Message[],
  caller: Caller,
): Promise<string | undefined> {
  const { account } = caller
  const answers = new Array<string | undefined>(messages.length)
  const room = new BatchBudget(account, limits.responseBytes, work.maxHeldBytes)
  let next = 0
  const run = async (message: Message): Promise<string | undefined> => {
    const isSilent = isNotification(message)
    const turn = account.yield()
    if (turn !== undefined) await turn
    if (room.isFull || caller.signal.aborted) return refuse(message, tooLarge())
    const reserved = room.reserve()
    if (reserved === undefined) return refuse(message, clientMemoryExceeded(work.maxHeldBytes))
    let answer: string
    try {
      const called = runner.call(message, caller)
      // Without awaiting a synchronous result, so that its size is counted before the next call starts.
      const one = called instanceof Promise ? await called : called
      if (isSilent && typeof one !== 'string') return discard(one)
      answer = typeof one === 'string' ? one : await one.text(room.left, tooLarge())
    } finally {
      if (reserved > 0) account.reserve(-reserved)
    }
    // The response to a notification has cost as much to produce, so it is counted too.
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

/** Limits for the responses of a batch: their total characters, and the memory of their client. */
export class BatchBudget {
  readonly #account: ClientQuota
  readonly #maxHeldBytes: number
  #left: number
  #heldBytes = 0
  /** Bytes of the longest response so far, used as the estimate for each further call. */
  #longestBytes = 0

  constructor(account: ClientQuota, characters: number, maxHeldBytes: number) {
    this.#account = account
    this.#maxHeldBytes = maxHeldBytes
    this.#left = characters
  }

  /** Remaining characters; negative once the limit is exceeded. */
  get left(): number {
    return this.#left
  }

  get isFull(): boolean {
    return this.#left < 0
  }

  /** Reserves memory for a response before it is produced; returns undefined if the limit is exceeded. */
  reserve(): number | undefined {
    const bytes = this.#longestBytes
    if (bytes === 0) return 0
    if (!this.#account.admits(bytes)) return undefined
    this.#account.reserve(bytes)
    return bytes
  }

  /** Counts a response, and retains its memory unless it is silent. Returns an error if a limit is exceeded. */
  take(characters: number, isSilent: boolean): LockstepError | undefined {
    this.#left -= characters
    if (isSilent) return undefined
    if (this.isFull) return tooLarge()
    const bytes = characters * ANSWER_COPIES
    this.#longestBytes = Math.max(this.#longestBytes, bytes)
    if (!this.#account.admits(bytes)) return clientMemoryExceeded(this.#maxHeldBytes)
    this.#account.reserve(bytes)
    this.#heldBytes += bytes
    return undefined
  }

  release(): void {
    this.#account.reserve(-this.#heldBytes)
    this.#heldBytes = 0
  }
}

/** Returns the error response to a call that does not run or whose result is dropped; undefined for a notification. */
function refuse(message: Message, error: LockstepError): string | undefined {
  if (isNotification(message)) return undefined
  return encodeFailure(encodeId(message), toRpcError(error))
}
