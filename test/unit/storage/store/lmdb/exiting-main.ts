import { Worker } from 'node:worker_threads'
import { openExitGate } from '../../../../../host/base/process/stop-gate.ts'

// Exits with code 3 while a worker writes. Usage: exiting-main.ts <folder>
openExitGate()
const worker = new Worker(new URL('endless-writer.ts', import.meta.url), {
  workerData: process.argv[2],
})
worker.once('message', () => process.exit(3))
