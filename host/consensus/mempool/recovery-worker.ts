import { parentPort, workerData } from 'node:worker_threads'
import { BatchRecovery } from '../../engine/batch-recovery.ts'
import type { RecoveryBatch, RecoveryRequests } from './recovery-batch.ts'

// One thread that recovers senders, batches in and out in order.

const recovery = new BatchRecovery(workerData as WebAssembly.Module)

parentPort?.on('message', ({ number, requests }: RecoveryRequests) => {
  const start = performance.now()
  const addresses = recovery.recover(requests)
  const busyNs = (performance.now() - start) * 1e6
  parentPort?.postMessage({ number, addresses, busyNs } satisfies RecoveryBatch, [addresses.buffer])
})
