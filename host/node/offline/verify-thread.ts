import { Worker } from 'node:worker_threads'
import { fromPlainError, type PlainError } from '../../base/plain-error.ts'
import type { Config } from '../../config/schema.ts'
import type { Home } from '../home/home.ts'
import type { VerifiedPart } from './verify-home.ts'

export interface VerifyTask {
  readonly home: Home
  readonly config: Config
}

export type VerifyMessage =
  | { readonly kind: 'part'; readonly part: VerifiedPart }
  | { readonly kind: 'failed'; readonly error: PlainError }

/**
 * `verifyHome` on a thread of its own, which can be ended at any time: it changes nothing.
 * @throws the reason of the signal; what `onPart` throws; what `verifyHome` throws
 */
export async function verifyApart(
  task: VerifyTask,
  onPart: (part: VerifiedPart) => void,
  signal: AbortSignal,
): Promise<void> {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { workerData: task })
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      worker.on('message', (message: VerifyMessage) => {
        try {
          if (message.kind === 'failed') throw fromPlainError(message.error)
          onPart(message.part)
        } catch (thrown) {
          reject(thrown)
        }
      })
      worker.on('error', reject)
      worker.on('exit', () => resolve())
    })
  } finally {
    await worker.terminate()
  }
}
