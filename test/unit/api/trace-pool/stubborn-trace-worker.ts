import { parentPort } from 'node:worker_threads'
import type { ToTraceWorker } from '../../../../host/api/trace-pool/trace-messages.ts'

// A trace worker with defects: `tracerConfig` {hang} or {die} triggers them.

parentPort?.on('message', (message: ToTraceWorker) => {
  if (message.kind !== 'run') return
  const { die, hang } = message.job.config
  if (die === true) process.exit(1)
  while (hang === true);
})

await import('../../../../host/api/trace-pool/trace-worker.ts')
