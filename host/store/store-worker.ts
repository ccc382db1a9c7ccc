import { type MessagePort, parentPort } from 'node:worker_threads'
import { toPlainError } from '../base/plain-error.ts'
import { ChainFlush } from './chain/chain-flush.ts'
import { writeCompaction, writeFlush } from './segment/segment-work.ts'
import type { StoreRequest, StoreResponse, StoreWork, Written } from './store-messages.ts'

const chainFlush = new ChainFlush()

function run(work: StoreWork): Promise<Written> {
  if (work.kind === 'flush') return writeFlush(work)
  if (work.kind === 'compact') return writeCompaction(work)
  if (work.kind === 'chain') return chainFlush.write(work)
  return chainFlush.close()
}

// A flush is not held up by a compaction: all work gives the thread back every few milliseconds.
const port = parentPort as MessagePort
port.on('message', async ({ id, work }: StoreRequest) => {
  let response: StoreResponse
  try {
    response = { id, written: await run(work) }
  } catch (thrown) {
    response = { id, error: toPlainError(thrown) }
  }
  port.postMessage(response)
})
