import { parentPort, workerData } from 'node:worker_threads'

// A thread of claims that says it has opened them, and ends amid the first that it is to write; or at once.

if ((workerData as { folder: string }).folder.endsWith('at-once')) process.exit(4)
parentPort?.on('message', () => process.exit(3))
parentPort?.postMessage({ done: [] })
