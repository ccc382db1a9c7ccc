import { FootprintArea } from '../../../../../host/chain/consensus/ahead/footprint-area.ts'

// A thread that gives footprints out as those of the transactions after theirs.

const { put } = FootprintArea.prototype

FootprintArea.prototype.put = function (block, index, footprint) {
  return put.call(this, block, index + 1, footprint)
}

await import('../../../../../host/chain/consensus/ahead/ahead-worker.ts')
