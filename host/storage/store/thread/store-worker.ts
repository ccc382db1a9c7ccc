import { serveWork } from '../../../base/worker/serve-work.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import { openSharedChain, type SharedChainDatabases } from '../chain/shared-chain.ts'
import { WalRecordReader } from './record-reader.ts'
import { writeCompaction, writeFlush } from './segment-work.ts'
import type { StoreWork, WrittenFiles } from './store-messages.ts'

type CutWork = Extract<StoreWork, { kind: 'cut' }>
type ChainWork = Extract<StoreWork, { kind: 'chain' }>

// The chain's databases stay open from flush to flush.
let shared: SharedChainDatabases | undefined

const reader = new WalRecordReader()

/** Writes the blocks of records of the write-ahead log to the chain's databases. */
async function writeChain({ dirs, first, records }: ChainWork): Promise<WrittenFiles> {
  shared ??= openSharedChain(dirs)
  const { chain } = shared
  const last = records.at(-1)
  for (const location of records) chain.apply(reader.read(location))
  reader.forget()
  if (last === undefined) return []
  await chain.flush(first, last.height)
  return []
}

/** Removes the blocks above `height` from the chain's databases. */
async function cutChain({ dirs, height }: CutWork): Promise<WrittenFiles> {
  shared ??= openSharedChain(dirs)
  reader.forget()
  for (const _ of shared.chain.cut(height)) await yieldToEventLoop()
  // The store serves no reads after a cut, so the next work opens the databases again.
  return closeChain()
}

async function closeChain(): Promise<WrittenFiles> {
  const closing = shared?.close()
  shared = undefined
  await closing
  return []
}

function run(work: StoreWork): Promise<WrittenFiles> {
  if (work.kind === 'flush') return writeFlush(work, reader)
  if (work.kind === 'compact') return writeCompaction(work)
  if (work.kind === 'chain') return writeChain(work)
  if (work.kind === 'cut') return cutChain(work)
  return closeChain()
}

// All work yields every few milliseconds, so a compaction does not delay a flush.
serveWork(run)
