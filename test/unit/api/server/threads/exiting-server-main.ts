import { RpcWorkerPool } from '../../../../../host/api/server/threads/rpc-worker-pool.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'

// A process with two RPC workers that ends at the first request, by process.exit or by throwing.

const [, , how] = process.argv

const threads = new RpcWorkerPool({
  threads: 2,
  script: new URL('../../../../support/node/serving-worker.ts', import.meta.url),
  start: () => ({ data: undefined, transfer: [], onExit: () => undefined }),
  onNote: () => undefined,
  onQuestion: async () => undefined,
  onDeath: () => undefined,
})

const server = await threads.listener(true)({
  work: new WorkScheduler(1 << 24),
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 1000,
  bodyIdleMs: 5000,
  maxConnections: 100,
  handler: () => {
    if (how === 'exit') process.exit(3)
    setTimeout(() => {
      throw new Error('the process has a defect')
    }, 0)
    return new Promise(() => undefined)
  },
})

process.stdout.write(`${server.port}\n`)
