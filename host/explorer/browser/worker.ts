import { type PortLike, WorkerPort } from './worker-port.ts'

// The worker script: a session that answers its page.

new WorkerPort(globalThis as unknown as PortLike)
