import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesKey } from '../../base/bytes.ts'
import { serveWork } from '../../base/worker/serve-work.ts'
import type { CodeRow } from '../../evm/engine/state-diff.ts'
import { changedAccounts } from './account-change.ts'
import { decodeState } from './state-file.ts'
import { type PackedState, packCodes, type StateFileTask } from './state-thread.ts'

// Worker for a state file: it parses megabytes of JSON without a pause.

/** A file has all fields of its accounts, so that no previous state is read. */
const NOTHING_BEFORE = { account: async () => undefined }

function distinct(codes: readonly CodeRow[]): readonly CodeRow[] {
  return [...new Map(codes.map((row) => [bytesKey(row.codeHash), row])).values()]
}

async function read({ file, most }: StateFileTask): Promise<PackedState> {
  const changes = decodeState(file, most)
  const { codes, ...diff } = await changedAccounts(NOTHING_BEFORE, changes, keccak_256)
  return { accounts: changes.length, diff, codes: packCodes(distinct(codes)) }
}

serveWork(read, ({ diff, codes: { hashes, lengths, bytes } }) => {
  const parts = [diff.accounts, diff.storage, hashes, lengths, bytes]
  return [...new Set(parts.map(({ buffer }) => buffer as ArrayBuffer))]
})
