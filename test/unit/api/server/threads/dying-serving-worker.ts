import { threadId } from 'node:worker_threads'
import { runRpcWorker } from '../../../../../host/api/server/threads/rpc-worker-server.ts'

// An RPC worker that returns its thread id at /thread, and throws at /die.

function die(): void {
  setTimeout(() => {
    throw new Error('a defect of the thread')
  }, 0)
}

runRpcWorker(() => ({
  answers: () => ({
    http: ({ path }) => {
      if (path === '/die') die()
      return path === '/thread' ? { status: 200, body: `thread ${threadId}.` } : undefined
    },
    message: () => false,
  }),
}))
