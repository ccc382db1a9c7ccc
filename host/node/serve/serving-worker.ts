import { ANYWHERE_METHODS } from '../../api/rpc/anywhere-methods.ts'
import type { RpcObserver, ThreadContext } from '../../api/rpc/call/context.ts'
import { ETH_READ_METHODS } from '../../api/rpc/eth/read-methods.ts'
import { threadHttpHandler } from '../../api/rpc/protocol/http-handler.ts'
import type { SubmitAll } from '../../api/rpc/protocol/submit-batch.ts'
import { type OwnDispatcher, ThreadDispatcher } from '../../api/rpc/protocol/thread-dispatcher.ts'
import { threadMessageHandler } from '../../api/rpc/protocol/thread-web-socket.ts'
import { compressedAnswer } from '../../api/server/content-coding.ts'
import { Origins } from '../../api/server/origins.ts'
import { serveOnThread } from '../../api/server/threads/serve-on-thread.ts'
import type { WorkScheduler } from '../../api/server/work-scheduler.ts'
import { messageOf } from '../../base/error.ts'
import { ThreadCounts } from '../../base/metrics/thread-counts.ts'
import { startInterval } from '../../base/timer.ts'
import {
  type CheckedTransaction,
  checkTransactions,
} from '../../chain/consensus/mempool/checked-transaction.ts'
import { TurnRecovery } from '../../chain/consensus/mempool/turn-recovery.ts'
import { BatchRecovery } from '../../evm/engine/batch-recovery.ts'
import { loadEngine } from '../../evm/engine/engine.ts'
import { countCalls } from './count-calls.ts'
import { FollowedStorage } from './followed-storage.ts'
import { openReadContext } from './read-context.ts'
import type { ServingData, ServingNote } from './serving-data.ts'
import { type SubmissionEnd, SubmissionTurns } from './submissions.ts'

// RPC worker: answers from finished blocks and states, checks transactions, and forwards everything else to the main
// thread.

/** Interval of reporting counters, ms. */
const COUNT_MS = 1000

await serveOnThread(async (data, line) => {
  const serving = data as ServingData
  const { clientVersion, compression, limits } = serving
  const note = (said: ServingNote) => line.tell(said)
  const check = await checkBy(serving.admission)
  const submissions = new SubmissionTurns(
    async (bytes) => (await line.ask(bytes)) as readonly SubmissionEnd[],
  )
  const submitAll: SubmitAll = async (raws) => {
    const checked = await check(raws)
    return submissions.submit(raws.map((raw, i) => ({ raw, checked: checked[i] })))
  }
  const height = new BigInt64Array(serving.height)
  const corsOrigins = new Origins(serving.corsOrigins)
  const observer: RpcObserver = {
    onAnswer: serving.counts ? countHere(note) : () => undefined,
    onDefect: (method, error) => note({ kind: 'defect', method, text: messageOf(error) }),
    onSubmit: () => undefined,
  }
  const context: Omit<ThreadContext, 'work'> = {
    chain: {
      get latest() {
        return Number(Atomics.load(height, 0))
      },
    },
    rules: { chainId: serving.chainId },
    dev: undefined,
    limits,
    submit: async (raw) => {
      const [end] = await submitAll([raw])
      if (end instanceof Uint8Array) return end
      throw end
    },
    clientVersion,
    denied: new Set(serving.denied),
    observer,
  }
  const storage = serving.storage && new FollowedStorage({ ...serving.storage, height })
  const dispatcherFor = await dispatchers(context, serving, submitAll, storage)
  return {
    close: () => storage?.close(),
    answers: (work) => {
      const dispatcher = dispatcherFor(work)
      const http = threadHttpHandler(dispatcher, corsOrigins)
      return {
        http: (request) => {
          const answer = http(request)
          if (!(answer instanceof Promise)) {
            return answer && compressedAnswer(answer, request, compression)
          }
          return answer.then((late) => late && compressedAnswer(late, request, compression))
        },
        message: threadMessageHandler(dispatcher),
      }
    },
  }
})

type DispatcherFor = (work: WorkScheduler) => OwnDispatcher

/** Returns dispatchers for methods that need no state, and for those that read blocks and states available here. */
async function dispatchers(
  context: Omit<ThreadContext, 'work'>,
  serving: ServingData,
  submitAll: SubmitAll,
  storage: FollowedStorage | undefined,
): Promise<DispatcherFor> {
  if (storage === undefined || serving.storage === undefined) {
    return (work) => new ThreadDispatcher({ ...context, work }, ANYWHERE_METHODS, submitAll)
  }
  const reads = await openReadContext(storage, context, serving.storage)
  const methods = [...ANYWHERE_METHODS, ...ETH_READ_METHODS]
  return (work) => {
    const dispatcher = new ThreadDispatcher({ ...context, ...reads, work }, methods, submitAll)
    return {
      answer: (body, caller) => {
        storage.catchUp()
        return dispatcher.answer(body, caller)
      },
    }
  }
}

/** Checks transactions before the main thread adds them to the pool. */
async function checkBy(
  admission: ServingData['admission'],
): Promise<(raws: readonly Uint8Array[]) => Promise<readonly (CheckedTransaction | undefined)[]>> {
  if (admission === undefined) return async () => []
  const recovery = new TurnRecovery(new BatchRecovery(admission.recovery))
  const hashing = await loadEngine(admission.engine)
  const keccak256 = (bytes: Uint8Array) => hashing.keccak256(bytes)
  return (raws) => checkTransactions(raws, admission.rules, keccak256, recovery)
}

/** Counts calls and reports the counts periodically. */
function countHere(tell: (note: ServingNote) => void): RpcObserver['onAnswer'] {
  const counted = new ThreadCounts()
  const count = countCalls(counted)
  let isTold = true
  const report = () => {
    if (isTold) return
    isTold = true
    tell({ kind: 'counts', counts: counted.counts() })
  }
  startInterval(report, COUNT_MS).unref()
  return (method, code, milliseconds) => {
    count(method, code, milliseconds)
    isTold = false
  }
}
