import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { account, address, blockRecord } from './chain/block-records.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

const BLOCKS = 60

function segmentsOf(dir: string): readonly string[] {
  return readdirSync(join(dir, 'pebbledb')).filter((name) => name.startsWith('account-'))
}

test.each([0, 20])(
  'a compacted state has one segment for each table and the same values (keep-recent %d)',
  async (keepRecent) => {
    const dir = temporaryDir()
    const storage = await openAt(dir, { flushInterval: 2, keepRecent, pruneIntervalMs: 0 })
    for (let height = 0; height < BLOCKS; height++) {
      const accounts = [0, 1, height + 2].map((i) => [i, account(height, 1)] as const)
      await storage.append(blockRecord(height, { accounts }, 0))
    }
    await storage.settle()
    const { earliest } = storage.state
    expect(earliest > 0).toBe(keepRecent > 0)
    const read = (): unknown =>
      Array.from({ length: BLOCKS - earliest }, (_, i) => {
        const view = storage.state.view(earliest + i)
        return [0, 1, 7, BLOCKS + 1].map((each) => view.account(address(each)))
      })
    const before = read()
    await storage.compact()
    expect(segmentsOf(dir)).toHaveLength(1)
    expect(read()).toEqual(before)
    await storage.close()

    const again = await openAt(dir, { flushInterval: 2 })
    expect(again.state.view(BLOCKS - 1).account(address(1))).toEqual(account(BLOCKS - 1, 1))
    await again.close()
  },
)
