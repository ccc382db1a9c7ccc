import { FootprintArea } from '../../../../../host/chain/consensus/ahead/footprint-area.ts'

// A thread that publishes each read/write set under the index of the next transaction.

const { put } = FootprintArea.prototype

FootprintArea.prototype.put = function (block, index, footprint) {
  return put.call(this, block, index + 1, footprint)
}

await import('../../../../../host/chain/consensus/ahead/ahead-worker.ts')
