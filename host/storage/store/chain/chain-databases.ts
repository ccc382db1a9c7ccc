import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { MarkedEnv } from '../lmdb/marked-env.ts'
import { BLOCK_TABLES } from './block-store.ts'

/** An index that was emptied, to be rebuilt from the blocks. */
export interface DroppedIndex {
  readonly dir: string
  /** A description of the fault. */
  readonly reason: string
}

/** The databases of finished blocks. */
export interface ChainDatabases {
  readonly blocks: MarkedEnv
  readonly transactions: MarkedEnv
  readonly logs: MarkedEnv
  readonly dropped: readonly DroppedIndex[]
}

/**
 * Opens the blocks and their indexes. An index that is damaged, or ahead of the blocks, is dropped and rebuilt from
 * the blocks.
 * @throws STORE_CORRUPTED if the blocks are damaged, STORE_FULL
 */
export async function openChainDatabases(dataDir: string): Promise<ChainDatabases> {
  const dropped: DroppedIndex[] = []
  const blocks = new MarkedEnv(join(dataDir, 'chain.db'), { tables: BLOCK_TABLES })
  const opened = [blocks]
  try {
    const index = async (name: string, table: string): Promise<MarkedEnv> => {
      const dir = join(dataDir, name)
      const env = openIndex(dir, table, dropped)
      opened.push(env)
      if (env.latest <= blocks.latest) return env
      const reason = `it ends at height ${env.latest}, the blocks at ${blocks.latest}`
      await env.close()
      opened.pop()
      const empty = dropIndex(dir, table, reason, dropped)
      opened.push(empty)
      return empty
    }
    const transactions = await index('tx_index.db', 'transactions')
    const logs = await index('log_index.db', 'logs')
    return { blocks, transactions, logs, dropped }
  } catch (thrown) {
    await Promise.all(opened.map((env) => env.close()))
    throw thrown
  }
}

function openIndex(dir: string, table: string, dropped: DroppedIndex[]): MarkedEnv {
  try {
    return new MarkedEnv(dir, { tables: [table] })
  } catch (thrown) {
    // An error with a cause comes from the system and says nothing about the file's contents.
    const isDamaged = thrown instanceof LockstepError && thrown.code === 'STORE_CORRUPTED'
    if (!isDamaged || thrown.cause !== undefined) throw thrown
    return dropIndex(dir, table, thrown.message, dropped)
  }
}

function dropIndex(dir: string, table: string, reason: string, dropped: DroppedIndex[]): MarkedEnv {
  rmSync(dir, { recursive: true, force: true })
  const empty = new MarkedEnv(dir, { tables: [table] })
  dropped.push({ dir, reason })
  return empty
}
