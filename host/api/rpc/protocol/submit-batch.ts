import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { startTimer, stopTimer } from '../../../base/timer.ts'
import { MAX_RECOVERY_BATCH } from '../../../chain/consensus/mempool/batched-recovery.ts'
import type { SubmissionOutcome } from '../../../chain/consensus/mempool/transaction-pool.ts'
import type { WorkerContext } from '../call/context.ts'
import { toRpcError } from '../call/error.ts'
import type { Caller } from '../call/rpc-call.ts'
import { BatchBudget } from './batch.ts'
import type { CallRunner } from './call-runner.ts'
import { encodeFailure, encodeSuccess } from './jsonrpc.ts'
import { type RawBatch, SUBMIT_METHOD } from './raw-batch.ts'
import { tooLarge } from './streamed-answer.ts'

/** Submits transactions in network encoding to the pool, in order. */
export type SubmitAll = (raws: readonly Uint8Array[]) => Promise<readonly SubmissionOutcome[]>

/**
 * Bytes after which no further transaction joins a submission. Each is hashed twice, which takes half a millisecond
 * in all.
 */
const MOST_BYTES = 32 * 1024

/** Answers a batch like `runBatch`: submits as many transactions as fit in one time slice, then yields. */
export async function submitBatch(
  runner: Pick<CallRunner, 'refuse'>,
  { limits, work, observer }: WorkerContext,
  { ids, raws }: RawBatch,
  caller: Caller,
  submitAll: SubmitAll,
): Promise<string> {
  const { account } = caller
  const room = new BatchBudget(account, limits.responseBytes, work.maxHeldBytes)
  const answers: string[] = []
  const answer = (id: string, end: SubmissionOutcome, started: number): string => {
    if (!(end instanceof Uint8Array)) {
      return encodeFailure(id, runner.refuse(SUBMIT_METHOD, started, end))
    }
    observer.onAnswer(SUBMIT_METHOD, 0, performance.now() - started)
    return encodeSuccess(id, `"${formatData(end)}"`)
  }
  const refuse = (id: string, error: LockstepError) => encodeFailure(id, toRpcError(error))
  try {
    for (let from = 0; from < raws.length; ) {
      const turn = account.yield()
      if (turn !== undefined) await turn
      if (room.isFull || caller.signal.aborted) {
        for (const id of ids.slice(from)) answers.push(refuse(id, tooLarge()))
        break
      }
      const started = performance.now()
      const some = raws.slice(from, endOfTurn(raws, from))
      const ends = await within(limits.methodTimeoutMs, some, submitAll)
      for (let i = 0; i < some.length; i++) {
        const id = ids[from + i] as string
        const one = answer(id, ends[i] as SubmissionOutcome, started)
        const refusal = room.take(one.length, false)
        answers.push(refusal === undefined ? one : refuse(id, refusal))
      }
      from += some.length
    }
    return `[${answers.join(',')}]`
  } finally {
    room.release()
  }
}

function endOfTurn(raws: readonly Uint8Array[], from: number): number {
  const most = Math.min(raws.length, from + MAX_RECOVERY_BATCH)
  let bytes = 0
  let end = from
  while (end < most && bytes < MOST_BYTES) bytes += (raws[end++] as Uint8Array).length
  return end
}

/** Resolves with the outcomes of transactions, or with one error for all on a timeout or if none could be submitted. */
function within(
  milliseconds: number,
  raws: readonly Uint8Array[],
  submitAll: SubmitAll,
): Promise<readonly SubmissionOutcome[]> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(raws.map(() => error))
    const timer = startTimer(() => fail(timedOut()), milliseconds)
    submitAll(raws)
      .then(resolve, fail)
      .finally(() => stopTimer(timer))
  })
}

function timedOut(): LockstepError {
  return new LockstepError('REQUEST_TIMEOUT', 'request timed out')
}
