import { type PortLike, WorkerPort } from './worker-port.ts'

// The script of a worker: a session that answers its page.

new WorkerPort(globalThis as unknown as PortLike)
