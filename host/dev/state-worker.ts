import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesKey } from '../base/bytes.ts'
import { toPlainError } from '../base/plain-error.ts'
import type { CodeRow } from '../engine/state-diff.ts'
import { changedAccounts } from './account-change.ts'
import { decodeState } from './state-file.ts'
import { packCodes, type StateFileMessage, type StateFileTask } from './state-thread.ts'

// The thread of a state file: it reads megabytes of JSON without a pause.

const port = parentPort as MessagePort

/** A file names all fields of its accounts: none is taken from the state before. */
const NOTHING_BEFORE = { account: async () => undefined }

function distinct(codes: readonly CodeRow[]): readonly CodeRow[] {
  return [...new Map(codes.map((row) => [bytesKey(row.codeHash), row])).values()]
}

async function read({ file, most }: StateFileTask): Promise<void> {
  const changes = decodeState(file, most)
  const { codes, ...diff } = await changedAccounts(NOTHING_BEFORE, changes, keccak_256)
  const packed = packCodes(distinct(codes))
  const message: StateFileMessage = {
    kind: 'state',
    accounts: changes.length,
    diff,
    codes: packed,
  }
  const parts = [diff.accounts, diff.storage, packed.hashes, packed.lengths, packed.bytes]
  port.postMessage(message, [...new Set(parts.map(({ buffer }) => buffer as ArrayBuffer))])
}

await read(workerData as StateFileTask).catch((thrown: unknown) => {
  const message: StateFileMessage = { kind: 'failed', error: toPlainError(thrown) }
  port.postMessage(message)
})
