import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { Member } from '../lmdb/marked-env.ts'

/** An index that was made empty, to be built again from the blocks. */
export interface DroppedIndex {
  readonly dir: string
  /** What was wrong with it. */
  readonly reason: string
}

/** The databases of finished blocks. */
export interface ChainDatabases {
  readonly blocks: Member
  readonly transactions: Member
  readonly logs: Member
  readonly dropped: readonly DroppedIndex[]
}

/**
 * Opens the blocks and their indexes. An index that is damaged, or ahead of the blocks, is dropped: the blocks
 * say all that it said.
 * @throws STORE_CORRUPTED where the blocks are damaged, STORE_FULL
 */
export async function openChainDatabases(dataDir: string): Promise<ChainDatabases> {
  const dropped: DroppedIndex[] = []
  const blocks = new Member(join(dataDir, 'chain.db'))
  const opened = [blocks]
  try {
    const index = async (name: string): Promise<Member> => {
      const dir = join(dataDir, name)
      const member = openIndex(dir, dropped)
      opened.push(member)
      if (member.latest <= blocks.latest) return member
      const reason = `it ends at height ${member.latest}, the blocks at ${blocks.latest}`
      await member.close()
      opened.pop()
      const empty = dropIndex(dir, reason, dropped)
      opened.push(empty)
      return empty
    }
    const transactions = await index('tx_index.db')
    const logs = await index('log_index.db')
    return { blocks, transactions, logs, dropped }
  } catch (thrown) {
    await Promise.all(opened.map((member) => member.close()))
    throw thrown
  }
}

function openIndex(dir: string, dropped: DroppedIndex[]): Member {
  try {
    return new Member(dir)
  } catch (thrown) {
    // With a cause it is what the system refuses: nothing is known of what the file holds.
    const isDamaged = thrown instanceof LockstepError && thrown.code === 'STORE_CORRUPTED'
    if (!isDamaged || thrown.cause !== undefined) throw thrown
    return dropIndex(dir, thrown.message, dropped)
  }
}

function dropIndex(dir: string, reason: string, dropped: DroppedIndex[]): Member {
  rmSync(dir, { recursive: true, force: true })
  const empty = new Member(dir)
  dropped.push({ dir, reason })
  return empty
}
