import type { Config } from '../../base/config/schema.ts'
import { runApart } from '../../base/worker/worker-client.ts'
import type { Home } from '../home/home.ts'
import type { VerifiedPart } from './verify-home.ts'

export interface VerifyTask {
  readonly home: Home
  readonly config: Config
}

/**
 * Runs `verifyHome` on its own thread, which may be terminated at any time, since it changes nothing.
 * @throws the signal's reason; errors of `onPart` and `verifyHome`
 */
export async function verifyApart(
  task: VerifyTask,
  onPart: (part: VerifiedPart) => void,
  signal: AbortSignal,
): Promise<void> {
  const script = new URL('./verify-worker.ts', import.meta.url)
  await runApart({ script, name: 'the verification thread', onNote: onPart }, task, signal)
}
