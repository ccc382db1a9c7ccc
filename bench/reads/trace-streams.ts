import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../host/api/trace-pool/thread-priority.ts'
import { RpcClient } from '../rpc-client.ts'

// A thread whose clients read long traces, each the next as soon as one has ended: it says how many bytes have come.

/** What the thread is to read. */
export interface TraceStreams {
  readonly url: string
  readonly clients: number
  readonly params: readonly unknown[]
}

const REPORT_MS = 100

// They share the machine with the node and with who asks it: what is measured is not to wait for them.
lowerPriority()
const { url, clients, params } = workerData as TraceStreams
const client = new RpcClient(url, clients)
let bytes = 0

async function stream(): Promise<void> {
  for (;;) {
    const { tail } = await client.drain('debug_traceTransaction', params, Infinity, (piece) => {
      bytes += piece.length
    })
    if (tail.includes('"error"')) throw new Error(`a trace failed: ${tail}`)
  }
}

for (let i = 0; i < clients; i++) void stream()
setInterval(() => parentPort?.postMessage(bytes), REPORT_MS)
