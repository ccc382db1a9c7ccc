import { workerData } from 'node:worker_threads'
import { serveWork } from '../../../base/worker/serve-work.ts'
import { BatchRecovery } from '../../../evm/engine/batch-recovery.ts'
import type { RecoveryBatch } from './recovery-batch.ts'

// A worker that recovers senders, batch by batch in order.

const recovery = new BatchRecovery(workerData as WebAssembly.Module)

serveWork(
  (requests: Uint8Array<ArrayBuffer>): RecoveryBatch => {
    const start = performance.now()
    const addresses = recovery.recover(requests)
    return { addresses, busyNs: (performance.now() - start) * 1e6 }
  },
  ({ addresses }) => [addresses.buffer],
)
