import { workerData } from 'node:worker_threads'
import { serveWork } from '../../../base/worker/serve-work.ts'
import type { IndexWork } from './index-messages.ts'
import { IndexStore } from './index-store.ts'

// The thread that writes the index; the main thread only passes it the blocks.

const store = new IndexStore(workerData as string, { isShared: true })

async function work({ removed, blocks, pruneHeight, isLast }: IndexWork): Promise<void> {
  if (removed !== undefined) store.remove(removed.blocks, removed.newest)
  store.add(blocks)
  if (pruneHeight > 0) store.prune(pruneHeight)
  if (isLast) await store.close()
}

serveWork(work)
