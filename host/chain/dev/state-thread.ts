import { runApart } from '../../base/worker/worker-client.ts'
import type { CodeRow, StateDiff } from '../../evm/engine/state-diff.ts'

/** A file to read, and the size limit of its JSON in bytes. */
export interface StateFileTask {
  readonly file: Uint8Array
  readonly most: number
}

/** Concatenated codes: one object per code would be slow to transfer between threads. */
export interface PackedCodes {
  /** 32 bytes per code. */
  readonly hashes: Uint8Array
  readonly lengths: Uint32Array
  readonly bytes: Uint8Array
}

/** A state file packed for transfer between threads. */
export interface PackedState {
  readonly accounts: number
  readonly diff: Omit<StateDiff, 'codes'>
  readonly codes: PackedCodes
}

/** The content of a state file, as changes to the state that it is loaded into. */
export interface LoadedState {
  readonly accounts: number
  readonly diff: StateDiff
}

/** Heap limit in megabytes: a thread that exceeds it fails without affecting the node. */
const HEAP_MB = 4096

/**
 * Reads a state file on a worker: parsing some megabytes of JSON blocks a thread for a second.
 * @throws INVALID_ARGUMENT like `decodeState`; the reason of the signal
 */
export async function readStateOnWorker(
  task: StateFileTask,
  signal?: AbortSignal,
): Promise<LoadedState> {
  const options = {
    script: new URL('./state-worker.ts', import.meta.url),
    name: 'the thread of the state file',
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  }
  const { accounts, diff, codes } = await runApart<StateFileTask, PackedState>(
    options,
    task,
    signal,
  )
  return { accounts, diff: { ...diff, codes: unpackCodes(codes) } }
}

export function packCodes(codes: readonly CodeRow[]): PackedCodes {
  const lengths = Uint32Array.from(codes, ({ code }) => code.length)
  const hashes = new Uint8Array(32 * codes.length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const [index, { codeHash, code }] of codes.entries()) {
    hashes.set(codeHash, 32 * index)
    bytes.set(code, at)
    at += code.length
  }
  return { hashes, lengths, bytes }
}

function unpackCodes({ hashes, lengths, bytes }: PackedCodes): CodeRow[] {
  const codes: CodeRow[] = []
  let at = 0
  for (const [index, length] of lengths.entries()) {
    const codeHash = hashes.subarray(32 * index, 32 * (index + 1))
    codes.push({ codeHash, code: bytes.subarray(at, at + length) })
    at += length
  }
  return codes
}
