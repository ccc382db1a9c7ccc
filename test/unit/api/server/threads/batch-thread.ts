import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { useBatchPolicy } from '../../../../../host/api/server/threads/batch-policy.ts'
import { schedulingPolicy } from './scheduling-policy.ts'

// A thread that requests the policy and reports the previous and the current one.

const own = () => schedulingPolicy(readFileSync('/proc/thread-self/stat', 'latin1'))
const before = own()
await useBatchPolicy()
parentPort?.postMessage([before, own()])
