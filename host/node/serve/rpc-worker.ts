import { BroadcastChannel } from 'node:worker_threads'
import type { RpcObserver, WorkerContext } from '../../api/rpc/call/context.ts'
import { ETH_READ_METHODS } from '../../api/rpc/eth/read-methods.ts'
import { workerHttpHandler } from '../../api/rpc/protocol/http-handler.ts'
import type { SubmitAll } from '../../api/rpc/protocol/submit-batch.ts'
import { type WorkerAnswerer, WorkerDispatcher } from '../../api/rpc/protocol/worker-dispatcher.ts'
import { workerMessageHandler } from '../../api/rpc/protocol/worker-web-socket.ts'
import { WORKER_METHODS } from '../../api/rpc/worker-methods.ts'
import { compressedAnswer } from '../../api/server/content-coding.ts'
import { Origins } from '../../api/server/origins.ts'
import { runRpcWorker } from '../../api/server/threads/rpc-worker-server.ts'
import type { WorkScheduler } from '../../api/server/work-scheduler.ts'
import { messageOf } from '../../base/error.ts'
import { ThreadCounts } from '../../base/metrics/thread-counts.ts'
import { startInterval } from '../../base/timer.ts'
import { BatchedRecovery } from '../../chain/consensus/mempool/batched-recovery.ts'
import { checkTransactions } from '../../chain/consensus/mempool/checked-transaction.ts'
import { BatchRecovery } from '../../evm/engine/batch-recovery.ts'
import { loadEngine } from '../../evm/engine/engine.ts'
import type { RecordedTransaction } from '../../evm/engine/transaction-record.ts'
import { countCalls } from './count-calls.ts'
import { FollowedStorage } from './followed-storage.ts'
import { openReadContext } from './read-context.ts'
import type { ChangedSettings, EvmWorkerNote, EvmWorkerParts } from './rpc-worker-data.ts'
import { SlowRequests } from './slow-requests.ts'
import { SubmissionBatcher, type SubmissionResult } from './submissions.ts'

// RPC worker: answers from finished blocks and states, checks transactions, and forwards everything else to the main
// thread.

/** Interval of reporting counters, ms. */
const COUNT_MS = 1000

await runRpcWorker(async (data, line) => {
  const serving = data as EvmWorkerParts
  const { clientVersion, compression, limits } = serving
  const note = (said: EvmWorkerNote) => line.post(said)
  const check = await checkBy(serving.admission)
  const submissions = new SubmissionBatcher(
    async (bytes) => (await line.ask(bytes)) as readonly SubmissionResult[],
  )
  const submitAll: SubmitAll = async (raws) => {
    const checked = await check(raws)
    return submissions.submit(raws.map((raw, i) => ({ raw, checked: checked[i] })))
  }
  const height = new BigInt64Array(serving.height)
  const corsOrigins = new Origins(serving.corsOrigins)
  const count = serving.counts ? countHere(note) : undefined
  const slow = new SlowRequests(serving.slowMs, (request) => note({ kind: 'slow', request }))
  followSettings(serving.settings, (changed) => {
    // Parts and rules share these objects.
    Object.assign(limits, changed.limits)
    if (serving.admission !== undefined) {
      Object.assign(serving.admission.rules, { minTip: changed.minTip })
    }
    corsOrigins.replace(changed.corsOrigins)
    slow.thresholdMs = changed.slowMs
  })
  const observer: RpcObserver = {
    onAnswer: (method, code, milliseconds) => {
      count?.(method, code, milliseconds)
      slow.note(method, code, milliseconds)
    },
    onDefect: (method, error) => note({ kind: 'defect', method, text: messageOf(error) }),
    onSubmit: () => undefined,
  }
  const context: Omit<WorkerContext, 'work'> = {
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
      const http = workerHttpHandler(dispatcher, corsOrigins)
      return {
        http: (request) => {
          const answer = http(request)
          if (!(answer instanceof Promise)) {
            return answer && compressedAnswer(answer, request, compression)
          }
          return answer.then((late) => late && compressedAnswer(late, request, compression))
        },
        message: workerMessageHandler(dispatcher),
      }
    },
  }
})

/** Calls `apply` with the settings that the main thread changes. */
function followSettings(name: string, apply: (changed: ChangedSettings) => void): void {
  const channel = new BroadcastChannel(name)
  channel.onmessage = (event) => apply((event as MessageEvent<ChangedSettings>).data)
  channel.unref()
}

type DispatcherFor = (work: WorkScheduler) => WorkerAnswerer

/** Returns dispatchers for methods that need no state, and for those that read blocks and states available here. */
async function dispatchers(
  context: Omit<WorkerContext, 'work'>,
  serving: EvmWorkerParts,
  submitAll: SubmitAll,
  storage: FollowedStorage | undefined,
): Promise<DispatcherFor> {
  if (storage === undefined || serving.storage === undefined) {
    return (work) => new WorkerDispatcher({ ...context, work }, WORKER_METHODS, submitAll)
  }
  const reads = await openReadContext(storage, context, serving.storage)
  const methods = [...WORKER_METHODS, ...ETH_READ_METHODS]
  return (work) => {
    const dispatcher = new WorkerDispatcher({ ...context, ...reads, work }, methods, submitAll)
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
  admission: EvmWorkerParts['admission'],
): Promise<(raws: readonly Uint8Array[]) => Promise<readonly (RecordedTransaction | undefined)[]>> {
  if (admission === undefined) return async () => []
  const recovery = new BatchedRecovery(new BatchRecovery(admission.recovery))
  const hashing = await loadEngine(admission.engine)
  const keccak256 = (bytes: Uint8Array) => hashing.keccak256(bytes)
  return (raws) => checkTransactions(raws, admission.rules, keccak256, recovery)
}

/** Counts calls and reports the counts periodically. */
function countHere(tell: (note: EvmWorkerNote) => void): RpcObserver['onAnswer'] {
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
