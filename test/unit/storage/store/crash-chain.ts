import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import { account, blockRecord, slot, word } from './chain/block-records.ts'

/** Returns the block that every run of the crash test has at `height`: some hundred rows of all kinds. */
export function crashRecord(height: number): BlockRecord {
  const writes = [0, 1, 2].map((i) => ({
    key: slot((height * 7 + i * 31) % 90),
    value: word(height),
  }))
  return blockRecord(height, {
    accounts: Array.from({ length: 120 }, (_, i) => [(height * 13 + i) % 400, account(height, i)]),
    cleared: height % 5 === 4 ? [height % 20] : [],
    storage: Array.from({ length: 60 }, (_, i) => [i % 20, i % 7, (height + i) % 4]),
    legacy: [{ key: slot(1), value: word(height) }],
    modules: [{ module: 'bank', writes }],
  })
}
