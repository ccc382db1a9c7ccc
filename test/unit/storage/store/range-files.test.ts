import { expect, test } from 'vitest'
import { blockRecord, slot, word } from './chain/block-records.ts'
import { openFilesBelow } from './open-files.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

test.each([false, true])(
  'a range iterator that is abandoned early releases its files (reverse %s)',
  async (reverse) => {
    const dir = temporaryDir()
    const storage = await openAt(dir)
    for (let height = 0; height <= 3; height++) {
      const writes = [1, 2, 3].map((n) => ({ key: slot(n), value: word(height) }))
      await storage.append(blockRecord(height, { modules: [{ module: 'bank', writes }] }))
      // Flush into several files, so that a range has to read more than one
      await storage.settle()
    }
    const before = openFilesBelow(dir)
    for (let i = 0; i < 10; i++) {
      for (const { key } of storage.state.module('bank').range({ height: 3, reverse })) {
        expect(key).toEqual(slot(reverse ? 3 : 1))
        break
      }
    }
    expect(openFilesBelow(dir)).toEqual(before)
    await storage.close()
    expect(openFilesBelow(dir)).toEqual([])
  },
)
