import { sendNote, serveWork } from '../../base/worker/serve-work.ts'
import { verifyHome } from './verify-home.ts'
import type { VerifyTask } from './verify-thread.ts'

// Thread of a verification: it reads for minutes without a pause, while the main thread handles signals.

serveWork(({ home, config }: VerifyTask) => verifyHome(home, config, sendNote))
