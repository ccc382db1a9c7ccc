import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../host/api/trace-pool/thread-priority.ts'
import { RpcClient } from '../rpc-client.ts'

// A thread whose clients read long traces back to back. It reports how many bytes have arrived.

/** Input of the thread. */
export interface TraceStreams {
  readonly url: string
  readonly clients: number
  readonly params: readonly unknown[]
}

const REPORT_MS = 100

// These clients share the machine with the node and the measuring client, which must not wait for them.
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
