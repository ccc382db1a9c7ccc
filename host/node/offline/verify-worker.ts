import { sendNote, serveWork } from '../../base/worker/serve-work.ts'
import { verifyHome } from './verify-home.ts'
import type { VerifyTask } from './verify-thread.ts'

// The thread of a check: it reads for minutes without a pause, while the other one hears signals.

serveWork(({ home, config }: VerifyTask) => verifyHome(home, config, sendNote))
