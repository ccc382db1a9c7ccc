import type { Config } from '../../base/config/schema.ts'
import { runApart } from '../../base/worker/worker-client.ts'
import type { Home } from '../home/home.ts'
import type { VerifiedPart } from './verify-home.ts'

export interface VerifyTask {
  readonly home: Home
  readonly config: Config
}

/**
 * `verifyHome` on a thread of its own, which can be ended at any time: it changes nothing.
 * @throws the reason of the signal; what `onPart` throws; what `verifyHome` throws
 */
export async function verifyApart(
  task: VerifyTask,
  onPart: (part: VerifiedPart) => void,
  signal: AbortSignal,
): Promise<void> {
  const script = new URL('./verify-worker.ts', import.meta.url)
  await runApart({ script, name: 'the thread of the check', onNote: onPart }, task, signal)
}
