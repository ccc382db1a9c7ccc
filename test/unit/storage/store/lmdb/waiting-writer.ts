import { parentPort, workerData } from 'node:worker_threads'
import { serveWork } from '../../../../../host/base/worker/serve-work.ts'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'

export interface WaitingWriterData {
  readonly dir: string
  /** The transaction waits until its only word is 1. */
  readonly go: Int32Array
}

// Inside a transaction, answers a request that was not made, and waits.
const { dir, go } = workerData as WaitingWriterData
const env = new LmdbEnv(dir)
const table = env.table('rows')
serveWork(() => {
  env.write(() => {
    table.put(Buffer.from('first'), Buffer.from('1'))
    parentPort?.postMessage({ number: 1000, result: undefined })
    Atomics.wait(go, 0, 0)
    table.put(Buffer.from('second'), Buffer.from('2'))
  })
})
