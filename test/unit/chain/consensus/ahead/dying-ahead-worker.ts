import { JobBoard } from '../../../../../host/evm/execute/lockstep/job-board.ts'

// A thread that dies after it has published the read/write set of its third transaction.

const { publish } = JobBoard.prototype
let published = 0

JobBoard.prototype.publish = function (index, place) {
  publish.call(this, index, place)
  published++
  if (published === 3) process.exit(7)
}

await import('../../../../../host/chain/consensus/ahead/speculation-worker.ts')
