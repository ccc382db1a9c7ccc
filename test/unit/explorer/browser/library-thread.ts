import { parentPort } from 'node:worker_threads'
import { type PortLike, WorkerPort } from '../../../../host/explorer/browser/worker-port.ts'

// A Node worker thread that replaces a browser's worker.

const port: PortLike = {
  onmessage: null,
  postMessage: (message, transfer) => parentPort?.postMessage(message, transfer as ArrayBuffer[]),
}
new WorkerPort(port)
parentPort?.on('message', (data) => {
  if (data === 'crash') throw new Error('out of luck')
  port.onmessage?.({ data } as MessageEvent)
})
