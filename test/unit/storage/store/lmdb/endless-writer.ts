import { parentPort, workerData } from 'node:worker_threads'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'

// A worker that is inside a transaction nearly all the time.
const env = new LmdbEnv(workerData as string)
const table = env.table('rows')
for (let round = 0; ; round++) {
  env.write(() => {
    const until = performance.now() + 5
    while (performance.now() < until);
    table.put(Buffer.from(String(round % 100)), Buffer.from(String(round)))
  })
  if (round === 0) parentPort?.postMessage('writing')
}
