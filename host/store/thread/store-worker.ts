import { type MessagePort, parentPort } from 'node:worker_threads'
import { toPlainError } from '../../base/plain-error.ts'
import { LmdbChainStore } from '../chain/lmdb-chain-store.ts'
import { decodeRecord } from '../codec/record-codec.ts'
import { MarkedEnv } from '../lmdb/marked-env.ts'
import { readWalRecord } from '../wal/write-ahead-log.ts'
import { writeCompaction, writeFlush } from './segment-work.ts'
import type {
  ChainDirs,
  StoreRequest,
  StoreResponse,
  StoreWork,
  Written,
} from './store-messages.ts'

type CutWork = Extract<StoreWork, { kind: 'cut' }>
type ChainWork = Extract<StoreWork, { kind: 'chain' }>

// The chain's databases stay open from flush to flush.
const envs: MarkedEnv[] = []
let chain: LmdbChainStore | undefined

function openChain({ blocks, transactions, logs }: ChainDirs): LmdbChainStore {
  // The main thread has them open.
  const options = { isShared: true }
  const opened = [
    new MarkedEnv(blocks, options),
    new MarkedEnv(transactions, options),
    new MarkedEnv(logs, options),
  ] as const
  envs.push(...opened)
  return new LmdbChainStore(...opened)
}

/** Writes the blocks of records of the write-ahead log to the chain's databases. */
async function writeChain({ dirs, first, records }: ChainWork): Promise<Written> {
  chain ??= openChain(dirs)
  const last = records.at(-1)
  if (last === undefined) return []
  for (const location of records)
    chain.apply(decodeRecord(location.height, readWalRecord(location)))
  await chain.flush(first, last.height)
  return []
}

/** Removes the newest blocks from the chain's databases. */
async function cutChain({ dirs, height }: CutWork): Promise<Written> {
  chain ??= openChain(dirs)
  for (const _ of chain.cut(height)) await new Promise((resolve) => setImmediate(resolve))
  // It answers for nothing any more: what comes next begins with what the databases hold now.
  return closeChain()
}

async function closeChain(): Promise<Written> {
  chain = undefined
  for (const env of envs.splice(0)) await env.close()
  return []
}

function run(work: StoreWork): Promise<Written> {
  if (work.kind === 'flush') return writeFlush(work)
  if (work.kind === 'compact') return writeCompaction(work)
  if (work.kind === 'chain') return writeChain(work)
  if (work.kind === 'cut') return cutChain(work)
  return closeChain()
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
