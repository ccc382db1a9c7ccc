import { parentPort, workerData } from 'node:worker_threads'
import { loadEngine } from '../../engine/engine.ts'
import {
  ADDRESS_BYTES,
  RECOVERY_BYTES,
  type RecoveryBatch,
  type RecoveryRequests,
} from './recovery-batch.ts'

// One thread that recovers senders: its own engine instance, batches in and out in order.

const engine = await loadEngine(workerData as WebAssembly.Module)

function recoverBatch({ number, requests }: RecoveryRequests): RecoveryBatch {
  const start = performance.now()
  const count = requests.length / RECOVERY_BYTES
  const addresses = new Uint8Array(count * ADDRESS_BYTES)
  for (let i = 0; i < count; i++) {
    const request = requests.subarray(i * RECOVERY_BYTES, (i + 1) * RECOVERY_BYTES)
    const yParity = request[96] === 1 ? 1 : 0
    const address = engine.recoverAddress(
      request.subarray(0, 32),
      yParity,
      request.subarray(32, 64),
      request.subarray(64, 96),
    )
    if (address === undefined) continue
    addresses[i * ADDRESS_BYTES] = 1
    addresses.set(address, i * ADDRESS_BYTES + 1)
  }
  return { number, addresses, busyNs: (performance.now() - start) * 1e6 }
}

parentPort?.on('message', (requests: RecoveryRequests) => {
  const batch = recoverBatch(requests)
  parentPort?.postMessage(batch, [batch.addresses.buffer])
})
