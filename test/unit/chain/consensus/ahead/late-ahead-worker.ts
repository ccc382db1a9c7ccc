import { StateReader } from '../../../../../host/storage/store/reader/state-reader.ts'

// A thread that applies every seventh delta of the state late, while the storage continues.

const LATE_MS = 40

const { take } = StateReader.prototype
const nobody = new Int32Array(new SharedArrayBuffer(4))
let taken = 0

StateReader.prototype.take = function (edition) {
  if (++taken % 7 === 0) Atomics.wait(nobody, 0, 0, LATE_MS)
  take.call(this, edition)
}

await import('../../../../../host/chain/consensus/ahead/speculation-worker.ts')
