import { ReadWriteSetArea } from '../../../../../host/chain/consensus/ahead/read-write-set-area.ts'

// A thread that publishes each read/write set under the index of the next transaction.

const { put } = ReadWriteSetArea.prototype

ReadWriteSetArea.prototype.put = function (block, index, footprint) {
  return put.call(this, block, index + 1, footprint)
}

await import('../../../../../host/chain/consensus/ahead/speculation-worker.ts')
