import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { toPlainError } from '../../base/plain-error.ts'
import { verifyHome } from './verify-home.ts'
import type { VerifyMessage, VerifyTask } from './verify-thread.ts'

// The thread of a check: it reads for minutes without a pause, while the other one hears signals.

const port = parentPort as MessagePort
const { home, config } = workerData as VerifyTask
const tell = (message: VerifyMessage): void => port.postMessage(message)
try {
  await verifyHome(home, config, (part) => tell({ kind: 'part', part }))
} catch (thrown) {
  tell({ kind: 'failed', error: toPlainError(thrown) })
}
