import { messageOf } from '../../base/error.ts'
import { createThreadCounts } from '../../metrics/metrics.ts'
import { ANYWHERE_METHODS } from '../../rpc/anywhere-methods.ts'
import type { RpcObserver, ThreadContext } from '../../rpc/call/context.ts'
import { threadHttpHandler } from '../../rpc/protocol/http-handler.ts'
import { ThreadDispatcher } from '../../rpc/protocol/thread-dispatcher.ts'
import { threadMessageHandler } from '../../rpc/protocol/thread-web-socket.ts'
import { compressedHandler } from '../../server/content-coding.ts'
import { Origins } from '../../server/origins.ts'
import { serveOnThread } from '../../server/threads/serve-on-thread.ts'
import { countCalls } from './count-calls.ts'
import type { ServingData, ServingNote } from './serving-data.ts'

// One thread that serves the EVM JSON-RPC: what needs no state it answers, all else it passes on.

/** Milliseconds between two times that what was counted here is told. */
const COUNT_MS = 1000

serveOnThread((data, tell) => {
  const serving = data as ServingData
  const { clientVersion, compression, limits } = serving
  const note: (note: ServingNote) => void = tell
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
    clientVersion,
    denied: new Set(serving.denied),
    observer,
  }
  return {
    answers: (work) => {
      const dispatcher = new ThreadDispatcher({ ...context, work }, ANYWHERE_METHODS)
      const http = threadHttpHandler(dispatcher, corsOrigins)
      return {
        http: (request) => {
          const answer = http(request)
          return answer && compressedHandler(() => answer, compression)(request)
        },
        message: threadMessageHandler(dispatcher),
      }
    },
  }
})

/** Counts calls, and tells of it now and then. */
function countHere(tell: (note: ServingNote) => void): RpcObserver['onAnswer'] {
  const counted = createThreadCounts()
  const count = countCalls(counted)
  let isTold = true
  const report = async () => {
    if (isTold) return
    isTold = true
    tell({ kind: 'counts', counts: await counted.counts() })
  }
  setInterval(() => void report(), COUNT_MS).unref()
  return (method, code, milliseconds) => {
    count(method, code, milliseconds)
    isTold = false
  }
}
